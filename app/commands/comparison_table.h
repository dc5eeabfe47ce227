#pragma once
#include <string>

#include "study/sweep/compare.h"

namespace hardhead::app {

/// A comparison as text: a row for each instance and method, medians over the runs.
std::string comparison_table(const study::Comparison& comparison,
                             const std::vector<std::string>& measures = {});

}  // namespace hardhead::app
