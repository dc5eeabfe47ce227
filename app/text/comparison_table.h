#pragma once
#include <string>

#include "study/sweep/compare.h"

namespace hardhead::app {

/// What of a comparison is shown.
struct ShownColumns {
  bool wide = false;                    ///< all columns
  std::vector<std::string> measures{};  ///< PHASE.NAME: a column each
};

/// A comparison as text: a row for each instance and method, medians over the runs; with `wide` all columns.
/// On a terminal that is too narrow, learners stand below their instance, and the interval of the advantage
/// and the likely causes are left out where they do not fit. "recovered: 95%" and "learnt: 95%" are exact
/// intervals of the share recovered, and of that learnt or recovered.
std::string comparison_table(const study::Comparison& comparison, const ShownColumns& shown = {});

}  // namespace hardhead::app
