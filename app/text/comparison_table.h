#pragma once
#include <string>

#include "study/sweep/compare.h"

namespace hardhead::app {

/// A comparison as text: a row for each instance and method, medians over the runs. "recovered: 95%" is the
/// exact interval of the share recovered; beside it, where a run learnt the layer without recovering it,
/// that of the share learnt or recovered. Where a learner asks values, the access of each is said, and how
/// many value queries it took in the median. The advantage is the median with ComparisonRow's interval.
std::string comparison_table(const study::Comparison& comparison,
                             const std::vector<std::string>& measures = {});

}  // namespace hardhead::app
