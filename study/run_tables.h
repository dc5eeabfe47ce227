#pragma once
#include <vector>

#include "study/compare.h"
#include "study/table.h"

namespace hardhead::study {

/// A row a run: what identifies it and its scores. A number that is unknown or not finite is an empty cell.
Table runs_table(const std::vector<RunResult>& results);

/// A row for each row of a comparison: what ran, how often it recovered, medians over its runs, and a spec that makes one of
/// them.
Table rows_table(const std::vector<ComparisonRow>& rows);

}  // namespace hardhead::study
