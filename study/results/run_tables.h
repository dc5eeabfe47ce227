#pragma once
#include <vector>

#include "study/report/table.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

/// One row for each run: what identifies it and its scores. A number that is unknown or not finite is an
/// empty cell.
report::Table runs_table(const std::vector<RunResult>& results);

/// One row for each row of a comparison: what ran, how well its runs learnt the layer and how often, medians
/// over its runs, the interval of the median advantage, and the spec of its first run.
report::Table rows_table(const std::vector<ComparisonRow>& rows);

}  // namespace hardhead::study
