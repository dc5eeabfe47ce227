#include "learner/cost.h"

#include <tbb/task_arena.h>

namespace hardhead::learner {

double pass_operations(attention::Index d, attention::Index k, attention::Index m) {
  const auto features = static_cast<double>(d), tokens = static_cast<double>(k);
  return static_cast<double>(m) * 4 * tokens * features * (features + tokens);
}

double pass_seconds(attention::Index d, attention::Index k, attention::Index m, double examples) {
  constexpr double operations_a_second = 11e9;
  return examples * pass_operations(d, k, m) / operations_a_second / tbb::this_task_arena::max_concurrency();
}

}  // namespace hardhead::learner
