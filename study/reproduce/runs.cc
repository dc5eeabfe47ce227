#include "study/reproduce/experiment.h"

namespace hardhead::study {

std::vector<ComparisonRow> compared(ComparisonPlan plan, const Setting& setting, const RunControl& control) {
  plan.execution = {setting.journal, setting.jobs};
  Comparison done = compare(plan, control);
  control.check();
  return std::move(done.rows);
}

FigurePoint rate_point(double x, const ComparisonRow& row) {
  return {x, static_cast<double>(row.recovered) / static_cast<double>(row.runs.size()), row.recovery_rate};
}

}  // namespace hardhead::study
