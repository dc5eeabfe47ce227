#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/figure/figure.h"

namespace hardhead::report {

/// A figure as a JSON object: what is drawn, without how. `points` are arrays [x, y], or [x, y, low, high]
/// with an interval; a number that is not finite is null.
nlohmann::ordered_json to_json(const Figure& figure);

/// Reads what to_json() wrote. Throws InputError beginning with `place`.
Figure figure_from_json(const nlohmann::ordered_json& document, const std::string& place);

}  // namespace hardhead::report
