#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/sweep/compare.h"

namespace hardhead::study {

/// Of a ladder's time, what a run may take.
inline constexpr double run_share = 0.25;

/// What a learner is given before anyone says that it fails: a ladder of budgets (learner::Method::ladder),
/// each about four times the one before it. A learner by values asks as much as it needs: its ladder has one
/// rung.
///
/// On each rung the settings of the ladder are tried on layers that are used for nothing else, by successive
/// halving: all settings on one layer, the better half of them on a second, and so on until one is left.
/// Better is the higher degree, then the smaller test error. If that one met the goal, it is run on `seeds`
/// fresh layers, until so many have failed that `wanted` cannot be met any more. The ladder ends at the first
/// rung where at least `wanted` of the fresh layers meet the goal, or at a limit.
///
/// The learner is told the test error that the goal asks for (Ladder, learner.h), so that no run goes on long
/// after it: RunOptions::recovery, or, for `learnt`, what 1 - learnt_advantage of the null error is on a
/// layer for choosing.
///
/// The time of a ladder is that of its runs, one after the other; those that a journal has count with the
/// time that they took.
struct BestShotOptions {
  /// Its seeds are the fresh layers of a rung; the examples of its runs are not used.
  Plan plan{.seeds = 10};
  std::int64_t wanted = 9;                   ///< of the fresh layers, that must meet the goal
  Degree goal = Degree::learnt;              ///< the least degree that counts
  std::int64_t most_examples = 100'000'000;  ///< the ladder ends before a rung of which a run may read more
  double time_limit_seconds = 3600;          ///< the ladder ends before a rung once its runs took this long

  /// All fresh layers must meet the goal; a run takes at most run_share of this time, in seconds.
  static BestShotOptions of_all(Plan plan, double time_limit_seconds);
};

/// The short line of a run.
struct BriefRun {
  const RunResult* run;  ///< what it is of
};
std::vector<BriefRun> brief(const std::vector<RunResult>& runs);  ///< of each of them

/// As `best --json` has it.
template <class Visit>
void describe(Visit& visit, const BriefRun*) {
  using B = BriefRun;
  using R = RunResult;
  visit("method", &B::run, &R::request, &RunOptions::method, &learner::Learner::str);
  visit("degree", &B::run, &R::score, &Score::degree);
  visit("test_error", &B::run, &R::score, &Score::test_error);
  visit("advantage", &B::run, &R::score, &Score::advantage);
  visit("examples_used", &B::run, &R::report, &learner::Report::examples_used);
  visit("queries_used", &B::run, &R::report, &learner::Report::queries_used);
  visit("seconds", &B::run, &R::report, &learner::Report::seconds);
}

/// A rung that was tried.
struct RungResult {
  Spec method;                             ///< the setting that did best on the layers for choosing
  std::optional<std::int64_t> examples{};  ///< what it was allowed, where the rung says so
  std::vector<RunResult> tuning;           ///< all runs that chose the setting
  std::vector<RunResult> fresh;            ///< its runs on fresh layers; none if it failed before
  std::int64_t successes = 0;              ///< fresh runs that met the goal
  double seconds = 0;                      ///< of all runs of the rung, one after the other
};

/// As `best --json` has it, with a short line for each run.
template <class Visit>
void describe(Visit& visit, const RungResult*) {
  using R = RungResult;
  visit("method", &R::method);
  visit("examples_allowed", &R::examples);
  visit("successes", &R::successes);
  visit("seeds", [](const R& rung) { return rung.fresh.size(); });
  visit("seconds", &R::seconds);
  visit("tuning", [](const R& rung) { return brief(rung.tuning); });
  visit("fresh", [](const R& rung) { return brief(rung.fresh); });
}

/// Why a ladder ended.
enum class LadderEnding { reached, most_examples, time_limit, top, interrupted };

constexpr auto enum_names(LadderEnding) {
  return std::to_array<EnumName<LadderEnding>>({{LadderEnding::reached, "reached"},
                                                {LadderEnding::most_examples, "most_examples"},
                                                {LadderEnding::time_limit, "time_limit"},
                                                {LadderEnding::top, "top"},
                                                {LadderEnding::interrupted, "interrupted"}});
}

/// The outcome of one learner on one series of layers: the cheapest budget that succeeds, or the whole ladder
/// that failed.
struct BestShot {
  std::string source;  ///< its series (source.h) of layers
  /// The learner; options that it gives are the same on all rungs.
  learner::Learner method{Spec{"adam", {}}};
  std::vector<RungResult> ladder;           ///< from the cheapest on
  LadderEnding ending = LadderEnding::top;  ///< reached: by the last rung
  /// Reached: the least degree of the `wanted` best fresh runs; else the best of any run.
  std::optional<Degree> degree{};
  double asked_median = 0;    ///< examples or queries of the fresh runs of the last rung; 0 without such
  double seconds_median = 0;  ///< of those runs

  /// Its last rung succeeded.
  bool reached() const { return ending == LadderEnding::reached; }
};

/// As `best --json` has it.
template <class Visit>
void describe(Visit& visit, const BestShot*) {
  using S = BestShot;
  visit("source", &S::source);
  visit("method", &S::method, &learner::Learner::str);
  visit("told", &S::method, &learner::Learner::told);
  visit("degree", &S::degree);
  visit("successes", [](const S& shot) { return shot.ladder.empty() ? 0 : shot.ladder.back().successes; });
  visit.group("budget", &S::reached, [](auto& of) {
    const auto asked = [](bool values) {
      return [=](const S& s) {
        return s.method.asks_values() == values ? std::optional(s.asked_median) : std::nullopt;
      };
    };
    of("method", [](const S& shot) { return shot.ladder.back().method.str(); });
    of("examples", asked(false));
    of("queries", asked(true));
    of("seconds", &S::seconds_median);
  });
  visit("ended_by", &S::ending);
  visit("ladder", &S::ladder);
}

/// Climbs the ladder of `method` on the layers of `source`. Throws InputError as compare() does. The ranks of
/// a job do not share its runs.
BestShot best_shot(const SourceSeries& source, const learner::Learner& method, const BestShotOptions& options,
                   const RunContext& context);

/// Every learner on each source of the plan, source by source; announces each outcome. An interrupted climb
/// is the last. Throws InputError for entries of a suite, whose layers are fixed, before the first.
std::vector<BestShot> best_shots(const BestShotOptions& options, const RunContext& context);

/// One sentence: the budget that succeeded with its numbers, or how far the ladder went.
std::string summary(const BestShot& shot, const BestShotOptions& options);

/// As `hardhead best --json` prints it: goal, seeds, and `shots`.
std::string json_text(const std::vector<BestShot>& shots, const BestShotOptions& options);

}  // namespace hardhead::study
