#include "study/sweep/sweep_record.h"

#include <fmt/format.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "study/report/json.h"
#include "study/sweep/json.h"

namespace hardhead::study {

using Json = nlohmann::ordered_json;

void write_sweep_record(const SweepRecord& record, const std::string& folder) {
  AtomicFile file(folder + "/sweep.json");
  const Json json = report::report_json(
      report::Document::sweep,
      {{"command", record.command}, {"runs", record.runs}, {"file", record.file}, {"names", record.names}});
  file.stream() << text_of_json(json, 2) << '\n';
  file.commit();
}

std::optional<SweepRecord> read_sweep_record(const std::string& folder) {
  const std::string path = folder + "/sweep.json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  try {
    const auto document = parse_json<Json>(read_file(path), 2);
    const JsonObject json(document, "the record");
    SweepRecord out{json.text("command"), json.text("file"), json.integer<std::int64_t>("runs")};
    if (!json.has("names")) return out;
    for (const Json& name : json.list("names")) {
      if (!name.is_string()) json.fail("names", "a list of names is expected");
      out.names.push_back(name.get<std::string>());
    }
    return out;
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': not a sweep's record ({})", path, error.what()));
  }
}

}  // namespace hardhead::study
