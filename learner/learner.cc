#include "learner/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "learner/cost.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {

using attention::Index;
using attention::SampleSource;

namespace {

constexpr std::int64_t least_examples = 3;

void check_task(Index k, const Task& task) {
  if (k < 2)
    throw InputError(
        "k = 1: a single token's attention is constant, so Theta cannot be learnt; k >= 2 is needed");
  if (task.heads && *task.heads < 1)
    throw InputError(fmt::format("heads = {}, but at least 1 is needed", *task.heads));
}

}  // namespace

std::span<const Method> methods() {
#define HARDHEAD_METHOD(name) name##_method,
  static const std::vector<Method> all{HARDHEAD_METHODS(HARDHEAD_METHOD)};
#undef HARDHEAD_METHOD
  return all;
}

const Method& find_method(const std::string& name) {
  return find_named("method", name, methods());
}

std::int64_t counting_bound(Index d, Index k, Index m) {
  return (2 * m * d + k - 1) / k;
}

std::int64_t pattern_bound(Index d, Index k) {
  const Index weights = k * (k - 1);
  return (d * d + weights - 1) / weights;
}

std::optional<double> predicted_seconds(const Spec& spec, Index d, Index k, Index m, const Task& task) {
  const Method& method = find_method(spec.name);
  const Parameters options(spec, method.parameters);
  check_task(k, task);
  Task resolved = task;
  resolved.examples = task.examples.value_or(method.default_examples(d, k, task, options));
  const std::optional<double> seconds = method.predicted_seconds(d, k, m, resolved, options);
  if (!seconds) return task.time_limit_seconds;
  return std::min(*seconds, task.time_limit_seconds.value_or(*seconds));
}

Report learn(const Spec& spec, const SampleSource& source, const Task& task, const RunControl& control,
             Observer* observer) {
  const Method& method = find_method(spec.name);
  const Parameters options(spec, method.parameters);
  const Index d = source.d(), k = source.k();
  check_task(k, task);
  Task resolved = task;
  resolved.examples =
      std::min(task.examples.value_or(method.default_examples(d, k, task, options)), source.size());
  const Index m = task.heads.value_or(1);
  if (const std::int64_t least = counting_bound(d, k, m); *resolved.examples < least)
    throw InputError(
        fmt::format("{} examples are fewer than the counting bound 2 m d^2 / (k d) = {} for d = {}, "
                    "k = {}, m = {}: no learner can determine the layer from them",
                    *resolved.examples, least, d, k, m));
  if (*resolved.examples < least_examples)
    throw InputError(fmt::format("examples = {}, but at least {} are needed: to fit, to choose and to judge",
                                 *resolved.examples, least_examples));
  if (const double bytes = process_bytes + method.predicted_bytes(d, k, resolved, options);
      task.memory_limit_bytes && bytes > *task.memory_limit_bytes)
    throw BudgetError(
        fmt::format("{} is predicted to need {:.3g} bytes of memory, more than --memory-limit {:.3g}",
                    spec.name, bytes, *task.memory_limit_bytes));

  const Stopwatch watch;
  Report report = method.run(source, resolved, options, control, observer);
  report.seconds = watch.seconds();
  return report;
}

}  // namespace hardhead::learner
