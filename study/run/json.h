#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/run/run.h"

namespace hardhead::study {

/// The fields of `learn --json`. Measures of a phase stand next to its name and seconds. Numbers that are not
/// finite are null, never NaN; what is not known is null.
nlohmann::ordered_json to_json(const RunResult& result);

/// The run that to_json() wrote, but for its layer, its limits, the partners of its heads and numbers that
/// were not finite (NaN). A run of before there were `degree` and `advantage_interval` has the degree that
/// its other numbers decide, or none, and no interval. Throws InputError for a document that is not one; its
/// text begins with `place`.
RunResult run_from_json(const nlohmann::ordered_json& document, const std::string& place);

/// to_json() as indented text.
std::string json_text(const RunResult& result);

}  // namespace hardhead::study
