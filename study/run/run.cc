#include "study/run/run.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text/parameters.h"
#include "base/version.h"
#include "learner/learner.h"
#include "queries/learner.h"
#include "study/query/ask.h"
#include "study/run/memory.h"
#include "study/run/phase_measures.h"
#include "study/run/test_error.h"

namespace hardhead::study {
namespace {

constexpr std::int64_t measured_examples = 4096;

void check_enough_examples(const Problem& problem, const RunOptions& options) {
  const std::int64_t available = problem.training->size();
  const attention::Index heads = options.task.heads.value_or(1);
  const std::int64_t bound = learner::least_examples(options.method, {problem.d, problem.k}, options.task);
  if (available < bound)
    throw InputError(fmt::format(
        "'{}': {} examples to learn from (after the holdout) are too few; {} {} of d = {} from k = {} "
        "tokens needs at least {} (unknowns over numbers an example gives)",
        problem.source, available, heads, heads == 1 ? "head" : "heads", problem.d, problem.k, bound));
}

/// Runs the learner, whatever it asks, within the limits of its task.
learner::Report run_learner(const Problem& problem, const RunOptions& options, RunContext context,
                            std::optional<ValuesUsed>& values) {
  const learner::Task& task = options.task;
  if (task.time_limit_seconds) context.stop = context.stop.with_time_limit(*task.time_limit_seconds);
  if (!asks_values(options.method.name))
    return learner::learn(options.method, *problem.training, task, context);
  ValueAnswer answer = ask({problem, options.method, task, options.values}, context);
  values = std::move(answer.used);
  return std::move(answer.report);
}

HeadMatch unmatched(attention::Index m) {
  HeadMatch match;
  match.partner.resize(m);
  match.theta_error.resize(m);
  match.w_error.resize(m);
  return match;
}

// All that is known before the learner starts.
RunResult unscored(const ProblemSummary& problem, const RunOptions& options, const Spec& canonical) {
  RunResult result;
  result.problem = problem;
  result.request = options;
  result.options = canonical;
  result.threads = tbb::this_task_arena::max_concurrency();
  result.version = version();
  return result;
}

/// The advantage's interval, where it is not all inputs that are tested.
std::optional<statistics::Interval> interval_of(const ProblemSummary& problem, double advantage,
                                                const statistics::RatioSums& beside_null) {
  const auto ratio = statistics::ratio_interval(beside_null);
  if (!ratio) return std::nullopt;
  const double null = problem.null_error,
               half = (ratio->high - ratio->low) / 2 * null / (null - problem.ceiling_error);
  return statistics::Interval{advantage - half, advantage + half};
}

/// Was it one of the learners in six phases, whose conditions the certificate has?
bool has_phases(const learner::Report& report) {
  return std::ranges::any_of(report.phases,
                             [](const learner::Phase& phase) { return phase.name == "w_sum"; });
}

std::optional<LikelyCause> cause_in_time(const Problem& problem, const RunContext& context) {
  try {
    return likely_cause(problem, context);
  } catch (const Stopped&) {  // the run itself is done, and a guess is not worth it
    return std::nullopt;
  }
}

/// The score of one pass over the test examples.
Score score_of(const Problem& problem, const TestErrors& errors, double recovery) {
  Score score;
  score.test_error = errors.relative;
  score.advantage = problem.advantage(score.test_error);
  score.advantage_interval = problem.test_is_exhaustive
                                 ? statistics::Interval{score.advantage, score.advantage}
                                 : interval_of(problem, score.advantage, errors.beside_null);
  score.degree = degree_of({score.test_error, recovery, score.advantage, score.advantage_interval});
  if (score.test_error <= recovery) score.outcome = Outcome::recovered;
  return score;
}

/// Of a score of errors alone: how the run ended, and why it did not recover. The search for a cause can be
/// stopped, too: without it the score is whole.
void explain(const Problem& problem, const RunOptions& options, const learner::Report& report, Score& score,
             const RunContext& context) {
  if (report.ending == learner::Ending::stopped) score.outcome = Outcome::stopped;
  if (score.outcome != Outcome::not_recovered || asks_values(options.method.name)) return;
  score.likely_cause = score.degree == Degree::learnt ? noise_cause(problem)
                       : has_phases(report)           ? cause_in_time(problem, context)
                                                      : hard_cause(problem);
}

/// The score of a report, whose layer or predictions are the library's own.
Score score_of(const Problem& problem, const RunOptions& options, const learner::Report& report,
               const RunContext& context) {
  const attention::Layer* layer = report.layer ? &*report.layer : nullptr;
  const bool predicts = layer == nullptr && report.prediction_error;
  Score score = score_layer(problem, layer, options.recovery, context);
  if (predicts) {
    score.test_error = *report.prediction_error;
    score.advantage = problem.advantage(score.test_error);
    score.advantage_interval.reset();
    score.degree = degree_of({score.test_error, options.recovery, score.advantage, {}});
    if (score.test_error <= options.recovery) score.outcome = Outcome::recovered;
  }
  explain(problem, options, report, score, context);
  return score;
}

/// Judges what the learner reports.
void judge(const Problem& problem, RunResult& result, const RunContext& context) {
  RunContext judging = context;
  if (context.stop.stopped()) judging.stop = StopToken().with_time_limit(seconds_to_judge);
  try {
    measure_phases({problem.truth.get(), *problem.test, std::min(measured_examples, problem.test_count)},
                   result.report.phases, judging);
    result.score = score_of(problem, result.request, result.report, judging);
  } catch (const Stopped&) {
    context.stop.check();  // its own reason
    throw;
  }
}

}  // namespace

void check_limits(const learner::Task& task) {
  for (const auto& [name, limit] :
       {std::pair{"time_limit", task.time_limit_seconds}, {"memory_limit", task.memory_limit_bytes}})
    if (limit && !(*limit > 0))
      throw InputError(fmt::format("{} = {}, but it must be above 0", name, *limit));
}

Spec check_method(const Spec& method) {
  std::vector<std::string> names;
  for (const learner::Method& known : learner::methods()) names.push_back(known.name);
  for (const queries::QueryLearner& known : queries::query_learners()) names.push_back(known.name);
  find_name("method", method.name, names);
  return asks_values(method.name) ? queries::find_query_learner(method.name).canonical(method)
                                  : learner::find_method(method.name).canonical(method);
}

Score score_layer(const Problem& problem, const attention::Layer* layer, double recovery,
                  const RunContext& context) {
  Score score = score_of(problem, errors_beside_null(layer, problem, context), recovery);
  if (layer == nullptr) {
    score.outcome = Outcome::not_recovered;
    score.degree = Degree::nothing;
  } else {
    score.heads_found = layer->m();
  }
  if (problem.truth != nullptr)
    score.parameter_error = layer != nullptr ? match_heads(*problem.truth, *layer, problem.k, context.stop,
                                                           last_feature(problem.inputs))
                                             : unmatched(problem.truth->m());
  return score;
}

Score score_answers(const Problem& problem, const Answers& answers, double recovery,
                    const RunContext& context) {
  Score score = score_of(problem, errors_beside_null(answers, problem, context), recovery);
  if (problem.truth != nullptr) score.parameter_error = unmatched(problem.truth->m());
  return score;
}

RunResult outside_run(const Problem& problem, const RunOptions& options, learner::Report report,
                      const Answers& answers, const RunContext& context) {
  if (!report.layer && !answers)
    throw InputError(
        fmt::format("the learner '{}' handed back neither a layer nor predictions", options.method.name));
  RunResult result = unscored(problem, options, options.method);
  result.report = std::move(report);
  result.score = result.report.layer ? score_layer(problem, &*result.report.layer, options.recovery, context)
                                     : score_answers(problem, answers, options.recovery, context);
  explain(problem, options, result.report, result.score, context);
  return result;
}

RunResult refused_run(const ProblemSummary& problem, const RunOptions& options, const std::string& why) {
  RunResult result = unscored(problem, options, check_method(options.method));
  result.report.ending = learner::Ending::stopped;
  result.report.message = fmt::format("Refused: {}", why);
  result.score.outcome = Outcome::stopped;
  if (!std::isnan(problem.null_error)) result.score.degree = Degree::nothing;
  result.score.advantage = problem.advantage(result.score.test_error);
  return result;
}

RunResult run(const Problem& problem, const RunOptions& options, const RunContext& context) {
  RunResult result = unscored(problem, options, check_method(options.method));
  if (!asks_values(options.method.name)) check_enough_examples(problem, options);
  check_memory(problem, options);
  learner::Report& report = result.report;
  report = run_learner(problem, options, context, result.values);
  if (!report.layer && !report.prediction_error) {
    if (!report.message.ends_with('.')) report.message += '.';
    report.message += " No layer was found: scored as predicting zero.";
  }
  judge(problem, result, context);
  return result;
}

}  // namespace hardhead::study
