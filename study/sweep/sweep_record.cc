#include "study/sweep/sweep_record.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/read_file.h"
#include "base/text/record_json.h"
#include "study/sweep/json.h"

namespace hardhead::study {

using Json = nlohmann::ordered_json;

void write_sweep_record(const SweepRecord& record, const std::string& folder) {
  AtomicFile file(folder + "/sweep.json");
  file.stream() << text_of_json(record_to_json(record), 2) << '\n';
  file.commit();
}

std::optional<SweepRecord> read_sweep_record(const std::string& folder) {
  const std::string path = folder + "/sweep.json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  try {
    const auto document = parse_json<Json>(read_file(path), 2);
    SweepRecord out;
    read_record(JsonObject(document, "the record"), out);
    return out;
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': not a sweep's record ({})", path, error.what()));
  }
}

}  // namespace hardhead::study
