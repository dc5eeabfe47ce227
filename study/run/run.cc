#include "study/run/run.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/version.h"
#include "hardness/families/family.h"
#include "learner/recorder.h"
#include "study/run/memory.h"
#include "study/run/phase_measures.h"

namespace hardhead::study {
namespace {

constexpr std::int64_t measured_examples = 4096;

void check_enough_examples(const Problem& problem, const RunOptions& options) {
  const std::int64_t available = problem.training->size();
  const attention::Index heads = options.task.heads.value_or(1);
  const std::int64_t bound =
      options.method.by_examples().least_examples({problem.d, problem.k}, options.task);
  if (available < bound)
    throw InputError(fmt::format(
        "'{}': {} examples to learn from (after the holdout) are too few; {} {} of d = {} from k = {} "
        "tokens needs at least {} (unknowns over numbers an example gives)",
        problem.source, available, heads, heads == 1 ? "head" : "heads", problem.d, problem.k, bound));
}

/// `context`, from now on for as long as the task may take.
RunContext limited(RunContext context, const learner::Task& task) {
  if (task.time_limit_seconds) context.stop = context.stop.with_time_limit(*task.time_limit_seconds);
  return context;
}

/// Runs the learner, whatever it asks, within the limits of its task.
learner::Report run_learner(const Problem& problem, const RunOptions& options, const RunContext& context) {
  const learner::Task& task = options.task;
  return options.method.asks_values() ? ask(options.method, task, options.values, problem, context)
                                      : learner::learn(options.method, *problem.training, task, context);
}

/// What a learner that has no layer says of the test examples; empty where it says nothing.
Answers predictions_of(const Problem& problem, const RunOptions& options, learner::Report& report,
                       const RunContext& context) {
  if (!report.predictor || report.ending != learner::Ending::finished) return nullptr;
  const auto end = [&](learner::Ending ending, const std::string& message) {
    report.ending = ending;
    report.message = message;
    return Answers();
  };
  try {
    return report.predictor(*problem.test, problem.test_count, limited(context, options.task));
  } catch (const learner::Failed& failed) {
    report.failed_phase = failed.phase;
    return end(learner::Ending::failed, failed.message);
  } catch (const Stopped& stopped) {
    context.stop.check();
    return end(learner::Ending::stopped, stopped.reason);
  }
}

/// The family's layer for what a learner says is hidden; empty where there is no such layer.
std::optional<attention::Layer> layer_of_hidden(const Problem& problem, const learner::Report& report) {
  if (!report.hidden || problem.instance == nullptr || problem.instance->spec.name.empty())
    return std::nullopt;
  const hardness::Instance& instance = *problem.instance;
  const hardness::Family& family = hardness::find_family(instance.spec.name);
  if (!family.layer_of) return std::nullopt;
  const std::vector<attention::Index> hidden(report.hidden->begin(), report.hidden->end());
  if (hidden == instance.hidden) return instance.layer;
  try {
    return family.layer_of(instance.spec, hidden);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void add_sentence(std::string& message, const std::string& sentence) {
  if (!message.ends_with('.')) message += '.';
  message += " " + sentence;
}

/// Of a learner that reports a product of bits: what the family hides then.
void read_product(const Problem& problem, learner::Report& report) {
  if (!report.product) return;
  const hardness::Instance* instance = problem.instance.get();
  if (instance != nullptr && !instance->spec.name.empty())
    if (const auto& read = hardness::find_family(instance->spec.name).hidden_behind_product) {
      const std::vector<attention::Index> hidden = read(instance->spec, *report.product);
      report.hidden.emplace(hidden.begin(), hidden.end());
      return;
    }
  add_sentence(report.message, "What makes a layer of it is not known of this source.");
}

HeadMatch unmatched(attention::Index m) {
  HeadMatch match;
  match.partner.resize(m);
  match.theta_error.resize(m);
  match.w_error.resize(m);
  return match;
}

// All that is known before the learner starts.
RunResult unscored(const ProblemSummary& problem, const RunOptions& options) {
  RunResult result;
  result.problem = problem;
  result.request = options;
  if (options.method.asks_values()) result.request.values.length = length_of(options.values, options.method);
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

/// The score of one pass over the test examples, or over other ones.
Score score_of(const Problem& problem, const TestErrors& errors, double recovery, bool all_inputs) {
  Score score;
  score.test_error = errors.relative;
  score.advantage = problem.advantage(score.test_error);
  score.advantage_interval = all_inputs ? statistics::Interval{score.advantage, score.advantage}
                                        : interval_of(problem, score.advantage, errors.beside_null);
  score.degree = degree_of({score.test_error, recovery, score.advantage, score.advantage_interval});
  if (score.test_error <= recovery) score.outcome = Outcome::recovered;
  return score;
}

/// The score of who found nothing: that of the null predictor, which anybody has.
Score score_of_nothing(const ProblemSummary& problem) {
  Score score;
  score.test_error = problem.null_error;
  score.advantage_interval = statistics::Interval{0, 0};
  score.degree = Degree::nothing;
  return score;
}

/// The score of a learner that has answers and no layer: for the test examples, or for some it held back.
Score score_answers(const Problem& problem, const RunResult& result, const Answers& answers,
                    const RunContext& context) {
  const auto& held_back = result.report.held_back;
  const TestErrors errors = held_back ? errors_beside_null(*held_back, problem, context)
                                      : errors_beside_null(answers, problem, context);
  Score score = score_of(problem, errors, result.request.recovery, !held_back && problem.test_is_exhaustive);
  if (problem.truth != nullptr) score.parameter_error = unmatched(problem.truth->m());
  return score;
}

/// Of a score of errors alone: how the run ended, and why it did not recover. The search for a cause can be
/// stopped, too: without it the score is whole.
void explain(const Problem& problem, const RunOptions& options, const learner::Report& report, Score& score,
             const RunContext& context) {
  if (report.ending == learner::Ending::stopped || report.ending == learner::Ending::out_of_queries)
    score.outcome = Outcome::stopped;
  if (score.outcome != Outcome::not_recovered || options.method.asks_values()) return;
  const bool has_network = report.layer && report.layer->network;
  score.likely_cause = score.degree == Degree::learnt || has_network ? noise_cause(problem)
                       : has_phases(report)                          ? cause_in_time(problem, context)
                                                                     : hard_cause(problem);
}

/// The score of a result, which has a layer, or `answers`, or nothing.
Score score_of(const Problem& problem, const RunResult& result, const Answers& answers,
               const RunContext& context) {
  const learner::Report& report = result.report;
  const RunOptions& options = result.request;
  const attention::Layer* layer = result.layer();
  Score score = layer == nullptr && (report.held_back || answers)
                    ? score_answers(problem, result, answers, context)
                    : score_layer(problem, layer, options.recovery, context);
  if (report.exact) score.exactly_right = exactly_right(*report.exact, *problem.instance->exact);
  if (report.hidden && problem.instance != nullptr)
    score.hidden_right = std::ranges::equal(*report.hidden, problem.instance->hidden);
  explain(problem, options, report, score, context);
  return score;
}

void say_if_unmatched(const Problem& problem, RunResult& result) {
  const attention::Layer* layer = result.layer();
  if (layer == nullptr || problem.truth == nullptr || can_be_matched(*problem.truth, *layer)) return;
  if (problem.truth->network.has_value() != layer->network.has_value())
    return add_sentence(result.report.message,
                        "Heads are not compared: one layer has a network behind them, the other none.");
  add_sentence(result.report.message,
               fmt::format("Heads are not compared one by one: {} with {}, where at most {} are.", layer->m(),
                           problem.truth->m(), most_matched_heads));
}

void say_if_labels_are_at_fault(const Problem& problem, RunResult& result, const RunContext& context) {
  if (problem.instance != nullptr || result.score.outcome == Outcome::recovered) return;
  const LabelFaults faults = label_faults(problem, result.layer(), context);
  result.score.likely_cause = faults.cause();
  if (result.score.likely_cause) add_sentence(result.report.message, faults.str());
}

/// Judges what the learner reports.
void judge(const Problem& problem, RunResult& result, const Answers& answers, const RunContext& context) {
  measure_phases({problem.truth.get(), *problem.test, std::min(measured_examples, problem.test_count)},
                 result.report.phases, context);
  result.score = score_of(problem, result, answers, context);
  say_if_unmatched(problem, result);
  say_if_labels_are_at_fault(problem, result, context);
}

/// The score of a layer's errors on the first test examples, a block of them, twice as many, .., until half
/// of seconds_to_judge is gone: what a label costs is the teacher's. `problem` then has as many test
/// examples.
Score score_in_haste(Problem& problem, const attention::Layer& layer, double recovery) {
  const Stopwatch watch;
  const std::int64_t all = problem.test_count;
  const bool all_inputs = problem.test_is_exhaustive;
  for (std::int64_t count = attention::block_size;; count *= 2) {
    problem.test_count = std::min(count, all);
    problem.test_is_exhaustive = all_inputs && problem.test_count == all;
    const TestErrors errors = errors_beside_null(layer, problem, {});
    if (problem.test_count == all || watch.seconds() > seconds_to_judge / 2)
      return score_of(problem, errors, recovery, problem.test_is_exhaustive);
  }
}

/// Judges a learner that was interrupted, since somebody waits: its layer on few examples, no head beside a
/// head, or the answers that it has given; otherwise it is the null predictor.
void judge_in_haste(const Problem& problem, RunResult& result, const Answers& answers) {
  const attention::Layer* layer = result.layer();
  if (layer == nullptr) {
    const bool answered = result.report.held_back || answers;
    result.score = answered ? score_answers(problem, result, answers, {}) : score_of_nothing(problem);
  } else {
    Problem few = problem;
    result.score = score_in_haste(few, *layer, result.request.recovery);
    result.problem = few;
    result.score.heads_found = layer->m();
    add_sentence(result.report.message,
                 fmt::format("Judged on {} test examples, and heads are not compared.", few.test_count));
  }
  if (problem.truth != nullptr) result.score.parameter_error = unmatched(problem.truth->m());
  result.score.outcome = Outcome::stopped;
}

}  // namespace

void check_access(std::span<const learner::Learner> learners, const RunOptions& options) {
  const std::string name = learners.front().name();
  if (options.task.examples && std::ranges::all_of(learners, &learner::Learner::asks_values))
    throw InputError(
        fmt::format("examples = {}: {} asks for values and reads no examples; a budget limits it",
                    *options.task.examples, name));
  const ValueAccess& values = options.values;
  const bool has_policy = values.tolerance.policy != learner::Tolerance{}.policy;
  const char* said = nullptr;
  if (values.budget) said = "budget";
  if (values.length) said = "length";
  if (values.tolerance.tau > 0) said = "tolerance";
  if (has_policy) said = "policy";
  if (said != nullptr && std::ranges::none_of(learners, &learner::Learner::asks_values))
    throw InputError(fmt::format(
        "{}: {} learns from examples and asks for no values; a number of examples limits it", said, name));
  if (has_policy && values.tolerance.tau == 0)
    throw InputError(fmt::format("policy = {}: answers are exact, since the tolerance is 0",
                                 name_of(values.tolerance.policy)));
}

RunOptions told_to(const learner::Learner& method, RunOptions options) {
  options.method = method;
  if (method.asks_values())
    options.task.examples.reset();
  else
    options.values = {};
  return options;
}

Score score_layer(const Problem& problem, const attention::Layer* layer, double recovery,
                  const RunContext& context) {
  Score score = layer == nullptr ? score_of_nothing(problem)
                                 : score_of(problem, errors_beside_null(*layer, problem, context), recovery,
                                            problem.test_is_exhaustive);
  if (layer != nullptr) score.heads_found = layer->m();
  if (problem.truth != nullptr)
    score.parameter_error =
        layer != nullptr && can_be_matched(*problem.truth, *layer)
            ? match_heads(*problem.truth, *layer, problem.k, context.stop, last_feature(problem.inputs))
            : unmatched(problem.truth->m());
  return score;
}

RunResult refused_run(const ProblemSummary& problem, const RunOptions& options, const std::string& why) {
  RunResult result = unscored(problem, options);
  result.report.ending = learner::Ending::stopped;
  result.report.message = fmt::format("Refused: {}", why);
  const bool opened = !std::isnan(problem.null_error);
  if (opened) result.score = score_of_nothing(problem);
  if (!opened) result.score.advantage = NAN;
  result.score.outcome = Outcome::stopped;
  return result;
}

RunResult run(const Problem& problem, const RunOptions& options, const RunContext& context) {
  RunResult result = unscored(problem, options);
  if (!options.method.asks_values()) check_enough_examples(problem, options);
  check_memory(problem, options);
  learner::Report& report = result.report;
  report = run_learner(problem, options, limited(context, options.task));
  read_product(problem, report);
  result.layer_of_hidden = layer_of_hidden(problem, report);
  const Answers answers =
      result.layer() == nullptr ? predictions_of(problem, options, report, context) : nullptr;
  report.predictor = nullptr;
  const bool undone = report.ending == learner::Ending::undone;
  if (!undone && result.layer() == nullptr && !report.held_back && !answers) {
    add_sentence(report.message, "No layer was found: scored as the null predictor.");
  }
  if (context.stop.stopped())
    judge_in_haste(problem, result, answers);
  else
    judge(problem, result, answers, context);
  return result;
}

}  // namespace hardhead::study
