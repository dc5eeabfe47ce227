#include "learner/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.h"
#include "learner/cost.h"
#include "learner/insufficient_data.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {

using attention::Index;
using attention::SampleSource;

namespace {

constexpr std::int64_t fewest_examples = 3;

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

std::vector<Rung> examples_ladder(const Spec& method, double /*wanted*/) {
  std::vector<Rung> rungs;
  for (std::int64_t examples = 25'000; examples <= 10'000'000'000; examples *= 4)
    rungs.push_back({{method}, examples});
  return rungs;
}

Spec with_options(Spec method, const std::vector<std::pair<std::string, std::string>>& options) {
  for (const auto& [key, value] : options)
    if (method.value(key) == nullptr) method.values.emplace_back(key, value);
  return method;
}

std::int64_t counting_bound(Index d, Index k, Index m) {
  return (2 * m * d + k - 1) / k;
}

std::int64_t Learner::least_examples(ExampleShape shape, const Task& task) const {
  return counting_bound(shape.d, shape.k, task.heads.value_or(1));
}

std::int64_t least_examples(const Spec& spec, ExampleShape shape, const Task& task) {
  return find_method(spec.name).configure(spec)->least_examples(shape, task);
}

std::int64_t pattern_bound(Index d, Index k) {
  const Index weights = k * (k - 1);
  return (d * d + weights - 1) / weights;
}

std::optional<PredictedSeconds> predicted_seconds(const Spec& spec, Index d, Index k, Index m,
                                                  const Task& task) {
  const auto learner = find_method(spec.name).configure(spec);
  check_task(k, task);
  Task resolved = task;
  resolved.examples = task.examples.value_or(learner->default_examples({d, k}, task));
  const std::optional<PredictedSeconds> seconds = learner->predicted_seconds({d, k}, m, resolved);
  if (!seconds) return std::nullopt;
  const double limit = task.time_limit_seconds.value_or(std::numeric_limits<double>::infinity());
  return PredictedSeconds{std::min(seconds->learnt, limit),
                          std::min(std::max(seconds->learnt, seconds->not_learnt), limit)};
}

namespace {

void check_examples(const Learner& learner, ExampleShape shape, const Task& task) {
  if (const std::int64_t least = learner.least_examples(shape, task); *task.examples < least)
    throw InputError(fmt::format(
        "{} examples are fewer than the counting bound {}, which is the number of unknowns over the numbers "
        "that an example gives, for d = {}, k = {}, m = {}: they do not determine such a layer",
        *task.examples, least, shape.d, shape.k, task.heads.value_or(1)));
  if (*task.examples < fewest_examples)
    throw InputError(fmt::format("examples = {}, but at least {} are needed: to fit, to choose and to judge",
                                 *task.examples, fewest_examples));
}

// The one place where what a learner throws becomes an outcome.
Report recorded(const Learner& learner, const SampleSource& source, const Task& task,
                const RunContext& context) {
  const Stopwatch watch;
  Recorder recorder(context.stop);
  try {
    learner.run({source, task, context, recorder});
  } catch (const Stopped& stopped) {
    recorder.stop(stopped.reason);
  } catch (const InsufficientData& missing) {
    const std::vector<Phase>& phases = recorder.report().phases;
    const std::string phase = phases.empty() ? "" : phases.back().name;
    recorder.fail(phase, fmt::format("phase {} starves: {}", phase, missing.message));
  } catch (const Failed& failed) {
    recorder.fail(failed.phase, failed.message);
  }
  recorder.report().seconds = watch.seconds();
  return std::move(recorder.report());
}

Task resolved(const Learner& learner, ExampleShape shape, std::int64_t available, const Task& task) {
  check_task(shape.k, task);
  Task out = task;
  out.examples = std::min(task.examples.value_or(learner.default_examples(shape, task)), available);
  check_examples(learner, shape, out);
  return out;
}

}  // namespace

RunMemory predicted_memory(const Spec& spec, ExampleShape shape, std::int64_t available, const Task& task) {
  const auto learner = find_method(spec.name).configure(spec);
  return learner->predicted_memory(shape, resolved(*learner, shape, available, task));
}

void check_memory(const Spec& method, double bytes, const Task& task) {
  if (task.memory_limit_bytes && bytes > *task.memory_limit_bytes)
    throw BudgetError(fmt::format(
        "{} is predicted to need {:.3g} bytes of memory, more than the memory limit of {:.3g} bytes",
        method.name, bytes, *task.memory_limit_bytes));
}

Report learn(const Spec& spec, const SampleSource& source, const Task& task, const RunContext& context) {
  const auto learner = find_method(spec.name).configure(spec);
  const ExampleShape shape{source.d(), source.k(), are_signs(source.inputs())};
  const Task full = resolved(*learner, shape, source.size(), task);
  const RunMemory memory = learner->predicted_memory(shape, full);
  check_memory(spec, process_bytes + memory.work + memory.report, task);
  return recorded(*learner, source, full, context);
}

}  // namespace hardhead::learner
