#include "study/reproduce/experiment.h"

namespace hardhead::study {

std::vector<ComparisonRow> compared(ComparisonPlan plan, const Setting& setting, const RunControl& control) {
  plan.execution = {setting.journal, setting.jobs};
  Comparison done = compare(plan, control);
  control.check();
  return std::move(done.rows);
}

}  // namespace hardhead::study
