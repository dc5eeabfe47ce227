#pragma once
#include <string>

#include "study/sweep/compare.h"

namespace hardhead::app {

/// What of a comparison is shown.
struct ShownColumns {
  bool wide = false;                    ///< all columns
  std::vector<std::string> measures{};  ///< PHASE.NAME: a column each
};

/// A comparison as text: a row for each instance and method, medians over the runs. Its columns are degree,
/// test error, advantage, seconds, queries where a learner asks values, and likely causes where there are
/// any; with `wide` the others, too. On a terminal that is too narrow for that, learners stand below their
/// instance, and the interval of the advantage and the causes are left out where they do not fit. "recovered:
/// 95%" is the exact interval of the share recovered; beside it, where a run learnt the layer without
/// recovering it, that of the share learnt or recovered. Where a learner asks values, the access of each is
/// said, and how many value queries it took in the median. The advantage is the median with ComparisonRow's
/// interval.
std::string comparison_table(const study::Comparison& comparison, const ShownColumns& shown = {});

}  // namespace hardhead::app
