#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/run/json.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

/// The document of its description (compare.h).
nlohmann::ordered_json to_json(const Comparison& comparison);

/// to_json() as indented text.
std::string json_text(const Comparison& comparison);

/// A run that is still to be done, for another rank of the job. Throws InputError for a source that has no
/// name by which another process could open it.
nlohmann::ordered_json to_json(const RunRequest& run);
/// The run that to_json() wrote.
RunRequest request_from_json(const nlohmann::ordered_json& document);

}  // namespace hardhead::study
