#include "study/run.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "learner/learner.h"
#include "study/likely_cause.h"
#include "study/test_error.h"
#include "study/truth_observer.h"

namespace hardhead::study {
namespace {

constexpr std::int64_t observed_examples = 4096;

void check_enough_examples(const Problem& problem, const RunOptions& options) {
  const std::int64_t available = problem.training->size();
  const attention::Index heads = options.heads.value_or(1);
  const std::int64_t bound = learner::counting_bound(problem.d, problem.k, heads);
  if (available < bound)
    throw InputError(fmt::format(
        "'{}': {} examples to learn from (after the holdout) are too few; {} {} of d = {} from k = {} "
        "tokens needs at least {} (unknowns over numbers an example gives)",
        problem.source, available, heads, heads == 1 ? "head" : "heads", problem.d, problem.k, bound));
}

learner::Report run_learner(const Problem& problem, const RunOptions& options, RunControl control,
                            TruthObserver& observer) {
  learner::Task task;
  task.heads = options.heads;
  task.examples = options.examples;
  task.seed = options.seed;
  for (const auto& [name, limit] :
       {std::pair{"time_limit", options.time_limit_seconds}, {"memory_limit", options.memory_limit_bytes}})
    if (limit && !(*limit > 0))
      throw InputError(fmt::format("{} = {}, but it must be above 0", name, *limit));
  task.memory_limit_bytes = options.memory_limit_bytes;
  task.time_limit_seconds = options.time_limit_seconds;
  if (options.time_limit_seconds) control.set_time_limit(*options.time_limit_seconds);
  const Stopwatch watch;
  try {
    return learner::learn(options.method, *problem.training, task, control, &observer);
  } catch (const Stopped& stopped) {
    learner::Report report;
    report.ending = learner::Ending::stopped;
    report.message = fmt::format("Stopped: {}.", stopped.reason);
    report.seconds = watch.seconds();
    return report;
  }
}

HeadMatch unmatched(attention::Index m) {
  HeadMatch match;
  match.partner.resize(m);
  match.theta_error.resize(m);
  match.w_error.resize(m);
  return match;
}

// All that is known before the learner starts.
RunResult unscored(const Problem& problem, const RunOptions& options) {
  RunResult result;
  result.options = check_method(options.method);
  result.source = problem.source;
  result.spec = problem.spec;
  result.digest = problem.digest;
  result.d = problem.d;
  result.k = problem.k;
  result.m = problem.m();
  result.inputs = problem.inputs;
  result.method = options.method;
  result.heads_told = options.heads;
  result.examples_allowed = options.examples;
  result.null_error = problem.null_error;
  result.recovery = options.recovery;
  result.null_description = problem.null_description;
  result.test_examples = problem.test_count;
  result.holdout = problem.holdout;
  result.threads = tbb::this_task_arena::max_concurrency();
  result.seed = options.seed;
  result.version = version();
  return result;
}

}  // namespace

std::string to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::recovered:
      return "recovered";
    case Outcome::stopped:
      return "stopped";
    default:
      return "not_recovered";
  }
}

Outcome parse_outcome(const std::string& text) {
  for (const Outcome outcome : {Outcome::recovered, Outcome::not_recovered, Outcome::stopped})
    if (to_string(outcome) == text) return outcome;
  throw InputError(fmt::format("outcome '{}': 'recovered', 'not_recovered' or 'stopped' is expected", text));
}

std::string version() {
  return HARDHEAD_VERSION;
}

Spec check_method(const Spec& method) {
  return Parameters(method, learner::find_method(method.name).parameters).canonical();
}

RunResult refused_run(const Problem& problem, const RunOptions& options, const std::string& why) {
  RunResult result = unscored(problem, options);
  result.outcome = Outcome::stopped;
  result.message = fmt::format("Refused: {}", why);
  result.advantage = 1 - result.test_error / result.null_error;
  return result;
}

RunResult run(const Problem& problem, const RunOptions& options, const RunControl& control) {
  RunResult result = unscored(problem, options);
  check_enough_examples(problem, options);
  TruthObserver observer;
  learner::Report report = run_learner(problem, options, control, observer);
  const attention::Layer* truth = problem.truth ? &*problem.truth : nullptr;
  const attention::Layer* layer = report.layer ? &*report.layer : nullptr;
  observer.join(truth, *problem.test, std::min(observed_examples, problem.test_count), report);

  result.failed_phase = report.failed_phase;
  result.message = report.message;
  const bool predicts = layer == nullptr && report.prediction_error;
  if (layer == nullptr && !predicts) {
    if (!result.message.ends_with('.')) result.message += '.';
    result.message += " No layer was found: scored as predicting zero.";
  }
  result.heads_found = report.heads_found();
  result.test_error =
      predicts ? *report.prediction_error : test_error(layer, *problem.test, problem.test_count);
  result.advantage = 1 - result.test_error / result.null_error;
  if (truth != nullptr)
    result.parameter_error = layer != nullptr ? match_heads(*truth, *layer) : unmatched(truth->m());
  result.phases = std::move(report.phases);
  result.examples_used = report.examples_used;
  result.seconds = report.seconds;
  if (report.ending == learner::Ending::stopped)
    result.outcome = Outcome::stopped;
  else if ((layer != nullptr || predicts) && result.test_error <= options.recovery)
    result.outcome = Outcome::recovered;
  if (result.outcome == Outcome::not_recovered) {
    try {
      result.likely_cause = likely_cause(problem, control);
    } catch (const Stopped&) {  // the run itself is done, and a guess is not worth it
    }
  }
  result.layer = std::move(report.layer);
  return result;
}

}  // namespace hardhead::study
