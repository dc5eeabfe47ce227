#pragma once
#include <string>
#include <vector>

#include "base/parameters.h"

namespace hardhead::learner {

/// The options of `sculpt` and `paper`: one table, whose defaults differ in the route of each phase alone, "practical" or "paper".
std::vector<Parameter> six_phases_options(const std::string& route);

}  // namespace hardhead::learner
