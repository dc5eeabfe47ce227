#include "experiments/claims/experiment.h"

namespace hardhead::experiments {

std::vector<study::ComparisonRow> compared(study::ComparisonPlan plan, const Setting& setting,
                                           const RunContext& context) {
  plan.execution = {setting.journal, setting.jobs};
  study::Comparison done = compare(plan, context);
  context.stop.check();
  return std::move(done.rows);
}

}  // namespace hardhead::experiments
