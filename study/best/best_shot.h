#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/sweep/compare.h"

namespace hardhead::study {

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
/// The time of a ladder is that of its runs, one after the other. Runs that a journal has count with the time
/// that they took, so that a climb which goes on from a journal ends where an undisturbed one would.
struct BestShotOptions {
  std::int64_t seeds = 10;                   ///< fresh layers of a rung
  std::int64_t wanted = 9;                   ///< of which this many must meet the goal
  Degree goal = Degree::learnt;              ///< the least degree that counts
  std::int64_t most_examples = 100'000'000;  ///< the ladder ends before a rung of which a run may read more
  double time_limit_seconds = 3600;          ///< the ladder ends before a rung once its runs took this long
  ProblemOptions problem{};                  ///< of all runs; run i adds i to the seed
  RunOptions run{};                          ///< of all runs; its method and examples are not used
  ExecuteOptions execution{};                ///< journal and jobs
};

/// Of a ladder's time, what a run may take.
inline constexpr double run_share = 0.25;

/// A rung that was tried.
struct RungResult {
  Spec method;                             ///< the setting that did best on the layers for choosing
  std::optional<std::int64_t> examples{};  ///< what it was allowed, where the rung says so
  std::vector<RunResult> tuning;           ///< all runs that chose the setting
  std::vector<RunResult> fresh;            ///< its runs on fresh layers; none if it failed before
  std::int64_t successes = 0;              ///< fresh runs that met the goal
  double seconds = 0;                      ///< of all runs of the rung, one after the other
};

/// Why a ladder ended.
enum class LadderEnding { reached, most_examples, time_limit, top, interrupted };

/// The outcome of one learner on one series of layers: the cheapest budget that succeeds, or the whole ladder
/// that failed.
struct BestShot {
  std::string source;                       ///< its series (series.h) of layers
  Spec method{"adam", {}};                  ///< the learner; options that it gives are the same on all rungs
  std::vector<RungResult> ladder;           ///< from the cheapest on
  LadderEnding ending = LadderEnding::top;  ///< reached: by the last rung
  std::optional<Degree>
      degree{};  ///< reached: the least degree of the `wanted` best fresh runs; else the best of any run
  bool asks_values = false;   ///< the learner asks for values, and not for examples
  double asked_median = 0;    ///< examples or queries of the fresh runs of the last rung; 0 without such
  double seconds_median = 0;  ///< of those runs
};

/// Climbs the ladder of `method` on the layers of `source`. Throws InputError as compare() does. The ranks of
/// a job do not share its runs.
BestShot best_shot(const std::string& source, const learner::Learner& method, const BestShotOptions& options,
                   const RunContext& context);

/// Every method on every source, source by source; announces each outcome. An interrupted climb is the last.
/// Before the first climb it throws InputError for a suite (suite.h), whose layers are fixed.
std::vector<BestShot> best_shots(const std::vector<std::string>& sources,
                                 const std::vector<learner::Learner>& methods, const BestShotOptions& options,
                                 const RunContext& context);

/// One sentence: the budget that succeeded with its numbers, or how far the ladder went.
std::string summary(const BestShot& shot, const BestShotOptions& options);

/// As `hardhead best --json` prints it: goal, seeds, and `shots`, for each source, method, degree, successes,
/// budget {method, examples or queries, seconds} (null if none succeeded), ended_by and ladder.
std::string json_text(const std::vector<BestShot>& shots, const BestShotOptions& options);

constexpr auto enum_names(LadderEnding) {
  return std::to_array<EnumName<LadderEnding>>({{LadderEnding::reached, "reached"},
                                                {LadderEnding::most_examples, "most_examples"},
                                                {LadderEnding::time_limit, "time_limit"},
                                                {LadderEnding::top, "top"},
                                                {LadderEnding::interrupted, "interrupted"}});
}

}  // namespace hardhead::study
