#include "learner/algorithm.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/run/parallel.h"

namespace hardhead::learner {

using attention::Index;

void check_tokens(Index k) {
  if (k < 2)
    throw InputError(fmt::format(
        "k = {}: a single token's attention is constant, so Theta cannot be learnt; k >= 2 is needed", k));
}

std::int64_t counting_bound(Index d, Index k, Index m) {
  return (2 * m * d + k - 1) / k;
}

std::int64_t pattern_bound(Index d, Index k) {
  check_tokens(k);
  const Index weights = k * (k - 1);
  return (d * d + weights - 1) / weights;
}

std::int64_t ExampleAlgorithm::default_examples(ExampleShape, const Task&) const {
  return 20'000;
}

std::int64_t ExampleAlgorithm::least_examples(ExampleShape shape, const Task& task) const {
  return counting_bound(shape.d, shape.k, task.heads.value_or(1));
}

RunMemory ExampleAlgorithm::predicted_memory(ExampleShape shape, const Task& task) const {
  constexpr Index some_heads = 64, layers = 4;
  const Index heads = task.heads.value_or(some_heads);
  const attention::PassShape pass = shape.of_heads(heads);
  return {.work = 2 * attention::example_bytes(shape.d, shape.k, *task.examples) +
                  attention::layer_bytes(shape.d, layers * heads) + attention::forward_bytes(pass) +
                  threads() * attention::workspace_bytes(pass).values,
          .report = attention::layer_bytes(shape.d, 2 * heads),
          .heads = heads};
}

std::optional<PredictedSeconds> ExampleAlgorithm::predicted_seconds(ExampleShape, Index, const Task&) const {
  return std::nullopt;
}

Access ValueAlgorithm::access() const {
  return needs().exact ? Access::exact_values : Access::values;
}

Told ValueAlgorithm::told() const {
  const Needs what = needs();
  return what.hints ? Told::intermediate_results : what.gadget ? Told::gadget : Told::nothing;
}

std::optional<RunMemory> ValueAlgorithm::predicted_memory(LayerShape, const Task&) const {
  return std::nullopt;
}

}  // namespace hardhead::learner
