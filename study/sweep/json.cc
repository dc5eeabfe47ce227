#include "study/sweep/json.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text/record_json.h"

namespace hardhead::study {

using Json = nlohmann::ordered_json;

Json to_json(const Comparison& comparison) {
  return record_to_json(comparison);
}

std::string json_text(const Comparison& comparison) {
  return text_of_json(to_json(comparison), 2) + "\n";
}

Json to_json(const RunRequest& run) {
  if (!run.source.opens_by_name())
    throw InputError(
        fmt::format("'{}': other ranks cannot open what only this process has", run.source.name()));
  return record_to_json(run);
}

RunRequest request_from_json(const Json& document) {
  const JsonObject json(document, "a planned run");
  RunRequest out{Source(json.text("source")), {}, {}};
  read_record(json, out);
  return out;
}

}  // namespace hardhead::study
