#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/run/run_context.h"
#include "base/text/enum_names.h"
#include "base/text/spec.h"
#include "learner/learner.h"
#include "study/problem/problem.h"
#include "study/report/json.h"
#include "study/run/degree.h"
#include "study/run/likely_cause.h"
#include "study/run/match.h"
#include "study/run/test_error.h"
#include "study/run/values.h"

namespace hardhead::study {

/// What a run is asked to do: a learner, what it is told, and what it may spend.
struct RunOptions {
  learner::Learner method{Spec{"sculpt", {}}};  ///< bound to its options
  learner::Task task{};     ///< heads, examples, seed and limits; the run is stopped at its time limit
  double recovery = 1e-10;  ///< test error up to which a layer counts as recovered
  ValueAccess values{};     ///< of a learner by values: what it may ask
};

/// How a run ended: `recovered` means a test error of at most RunOptions::recovery before its time was up.
/// How well the layer was learnt is for the Degree to say.
enum class Outcome { recovered, not_recovered, stopped };

constexpr auto enum_names(Outcome) {
  return std::to_array<EnumName<Outcome>>({{Outcome::recovered, "recovered"},
                                           {Outcome::not_recovered, "not_recovered"},
                                           {Outcome::stopped, "stopped"}});
}

/// How good the answer of a learner is.
struct Score {
  Outcome outcome = Outcome::not_recovered;  ///< by test error and RunOptions::recovery
  double test_error = 1;                     ///< relative squared error on fresh examples
  double advantage = 0;                      ///< ProblemSummary::advantage(test_error)
  /// 95% interval of the advantage over test examples: advantage +- a times half the ratio_interval() of
  /// the errors that errors_beside_null() sums, a = null error / (null error - ceiling error), which is 1
  /// without noise. A point where the test examples are all inputs there are. Empty for a learner of which
  /// only an error of predictions is known.
  std::optional<statistics::Interval> advantage_interval{};
  std::optional<Degree> degree{};  ///< how well it was learnt, however the run ended; empty: not known
  std::optional<attention::Index> heads_found{};  ///< of the layer handed back
  std::optional<HeadMatch> parameter_error{};     ///< where the truth is known
  /// Of a learner in exact arithmetic: is every entry of every head right, as a rational?
  std::optional<bool> exactly_right{};
  /// Of a learner that reads what a family hides: is all of it right?
  std::optional<bool> hidden_right{};
  /// Of a run that did not recover, if one stands out: likely_cause() for the learners in six phases,
  /// hard_cause() for others, and noise alone where the layer was learnt.
  std::optional<LikelyCause> likely_cause{};
};

/// A run with its score: every field of `learn --json`.
struct RunResult {
  ProblemSummary problem;  ///< what was to be learnt
  RunOptions request;      ///< as it was asked for; of a learner by values with the length of its X
  learner::Report report;  ///< the learner's own; its message says it where no layer was found
  /// The family's layer for what the learner says is hidden; empty where it says no such thing.
  std::optional<attention::Layer> layer_of_hidden{};
  Score score;          ///< the judge's
  int threads = 1;      ///< that the run may have used
  std::string version;  ///< of the program that ran it

  /// The layer that was judged: the learner's, or the family's for what it found. Null for none.
  const attention::Layer* layer() const {
    return report.layer ? &*report.layer : layer_of_hidden ? &*layer_of_hidden : nullptr;
  }
  /// What the learner asked for: examples, or queries of a learner by values.
  std::int64_t asked() const { return report.queries_used.value_or(report.examples_used); }
  /// Forgets the layers, which may be large.
  void drop_layers() {
    report.layer.reset();
    report.predictor = nullptr;
    layer_of_hidden.reset();
  }
};

/// The fields of `learn --json`, of a line of a journal, and of Python's RunResult.
template <class Visit>
void describe(Visit& visit, const RunResult*) {
  using R = RunResult;
  using P = ProblemSummary;
  using learner::Learner;
  using learner::Report;
  using learner::Task;
  visit("schema", [](const R&) { return report::schema("report"); });
  visit.if_any("instance.spec", &R::problem, &P::spec);
  visit("instance.source", &R::problem, &P::source);
  visit("instance.digest", &R::problem, &P::digest);
  visit("instance.d", &R::problem, &P::d);
  visit("instance.k", &R::problem, &P::k);
  visit("instance.m", &R::problem, &P::m);
  visit("instance.inputs", &R::problem, &P::inputs);
  visit("method", &R::request, &RunOptions::method, &Learner::str);
  visit("options", &R::request, &RunOptions::method, &Learner::options, &Spec::values);
  visit("told", &R::request, &RunOptions::method, &Learner::told);
  visit("heads_told", &R::request, &RunOptions::task, &Task::heads);
  visit("examples_allowed", &R::request, &RunOptions::task, &Task::examples);
  visit.later("seconds_allowed", &R::request, &RunOptions::task, &Task::time_limit_seconds);
  visit("outcome", &R::score, &Score::outcome);
  visit.later("degree", &R::score, &Score::degree);
  visit.if_any("failed_phase", &R::report, &Report::failed_phase);
  visit("message", &R::report, &Report::message);
  visit("likely_cause", &R::score, &Score::likely_cause);
  visit("heads_found", &R::score, &Score::heads_found);
  visit("test_error", &R::score, &Score::test_error);
  visit("null_error", &R::problem, &P::null_error);
  visit.later("ceiling_error", &R::problem, &P::ceiling_error);
  visit("advantage", &R::score, &Score::advantage);
  visit.later("advantage_interval", &R::score, &Score::advantage_interval);
  visit("recovery", &R::request, &RunOptions::recovery);
  visit("null_predictor", &R::problem, &P::null_description);
  visit("test_examples", &R::problem, &P::test_count);
  visit("holdout", &R::problem, &P::holdout);
  visit("parameter_error", &R::score, &Score::parameter_error);
  visit("phases", &R::report, &Report::phases);
  visit("access", [](const R& r) { return r.request.method.asks_values() ? "values" : "examples"; });
  visit("examples_used", &R::report, &Report::examples_used);
  visit.later("queries_used", &R::report, &Report::queries_used);
  visit.later("tokens_used", &R::report, &Report::tokens_used);
  visit.group(
      "values", [](const R& r) { return r.request.method.asks_values(); },
      [](auto& of) {
        of("length", &R::request, &RunOptions::values, &ValueAccess::length);
        of("tolerance", &R::request, &RunOptions::values, &ValueAccess::tolerance, &learner::Tolerance::tau);
        of("policy", &R::request, &RunOptions::values, &ValueAccess::tolerance, &learner::Tolerance::policy);
        of("budget", &R::request, &RunOptions::values, &ValueAccess::budget);
        of("out_of_queries", &R::report, &Report::out_of_queries);
        of("exactly_right", &R::score, &Score::exactly_right);
        of("hidden", &R::report, &Report::hidden);
        of("hidden_right", &R::score, &Score::hidden_right);
      });
  visit("seconds", &R::report, &Report::seconds);
  visit("threads", &R::threads);
  visit("seed", &R::request, &RunOptions::task, &Task::seed);
  visit("version", &R::version);
}

/// Runs a learner, by examples on problem.training or by values on problem.instance, and scores what it hands
/// back on problem.test: its layer, or the family's for what it says is hidden, or its predictions, for which
/// it has its time limit again; without any of them it is the null predictor, and the message says so. A
/// predictor that fails is a learner that failed. The outcome is `stopped` if the time limit ran out or
/// `context` was stopped, whatever the score and the degree.
///
/// Throws InputError (fewer examples than the learner needs, k = 1; whatever ask() refuses) and BudgetError
/// (memory.h, learner::learn) before the run starts. What happens in the run is never an exception. Throws
/// Stopped if `context` is stopped while what was learnt is judged. If it was stopped before, a layer is
/// judged on the test examples that seconds_to_judge allow, and no head beside a head.
RunResult run(const Problem& problem, const RunOptions& options, const RunContext& context);

/// What is left for judging a learner that was interrupted.
inline constexpr double seconds_to_judge = 0.1;

/// The score of a layer, or of none, which is that of the null predictor: advantage 0. What depends on how a
/// run went is left out: the outcome is that of a run that was not stopped, and there is no cause. Throws
/// Stopped.
Score score_layer(const Problem& problem, const attention::Layer* layer, double recovery,
                  const RunContext& context = {});

/// The result of a run that was refused: stopped, and scored as the null predictor. `why` is the error's
/// text. Of a problem that could not be opened the null error is not a number, and the degree is not known.
RunResult refused_run(const ProblemSummary& problem, const RunOptions& options, const std::string& why);

/// Throws InputError for what the options say to none of these learners: a number of examples where all ask
/// for values, and what may be asked where none does; and for a policy of exact answers.
void check_access(std::span<const learner::Learner> learners, const RunOptions& options);
/// The options without what says nothing to this learner: what is told to all learners of a comparison, for
/// one.
RunOptions told_to(const learner::Learner& method, RunOptions options);

/// The fields of `learn --json`. Measures of a phase stand next to its name and seconds. Numbers that are not
/// finite are null, never NaN; what is not known is null.
Json to_json(const RunResult& result);

/// The run that to_json() wrote, but for its layer, its limit of memory, the partners of its heads and
/// numbers that were not finite (NaN). A run of before there were `degree` and `advantage_interval` has the
/// degree that its other numbers decide, or none, and no interval. Throws InputError for a document that is
/// not one; its text begins with `place`.
RunResult run_from_json(const Json& document, const std::string& place);

/// to_json() as indented text.
std::string json_text(const RunResult& result);

}  // namespace hardhead::study
