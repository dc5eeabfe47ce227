#include <fmt/format.h>

#include "study/reproduce/experiment.h"

namespace hardhead::study {

std::vector<ComparisonRow> compared(ComparisonPlan plan, const Setting& setting, const RunControl& control) {
  plan.execution = {setting.journal, setting.jobs};
  Comparison done = compare(plan, control);
  control.check();
  return std::move(done.rows);
}

Table rate_table(const std::vector<ComparisonRow>& rows) {
  Table table;
  table.columns = {"instance",   "learner",    "recovered", "runs",    "95% from", "95% to",
                   "test error", "null error", "advantage", "seconds", "failed in"};
  for (const ComparisonRow& row : rows) {
    std::string failed;
    for (const auto& [phase, count] : row.failed_phases)
      failed += fmt::format("{}{} {}", failed.empty() ? "" : ", ", phase, count);
    table.add({row.source, row.method, fmt::format("{}", row.recovered), fmt::format("{}", row.runs.size()),
               fmt::format("{:.2f}", row.recovery_rate.low), fmt::format("{:.2f}", row.recovery_rate.high),
               fmt::format("{:.3g}", row.test_error_median), fmt::format("{:.3g}", row.null_error_median),
               fmt::format("{:.3g}", row.advantage_median), fmt::format("{:.3g}", row.seconds_median),
               failed});
  }
  return table;
}

FigurePoint rate_point(double x, const ComparisonRow& row) {
  return {x, static_cast<double>(row.recovered) / static_cast<double>(row.runs.size()), row.recovery_rate};
}

}  // namespace hardhead::study
