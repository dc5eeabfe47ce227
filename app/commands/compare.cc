#include "study/sweep/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/best_shot_text.h"
#include "app/text/comparison_table.h"
#include "base/error.h"
#include "study/best/best_shot.h"
#include "study/sweep/json.h"

namespace hardhead::app {
namespace {

struct CompareOptions {
  CommonOptions common;
  LearningOptions learning;
  std::vector<std::string> sources;
  std::optional<std::int64_t> seeds;   ///< 1, or 10 of a best shot, if not said
  std::optional<std::string> journal;  ///< a file of runs done
  study::ValueAccess values;           ///< of learners by value queries
  int jobs = 1;
  std::vector<std::string> measures;  ///< PHASE.NAME: more columns
  bool best = false;                  ///< each learner is given its best shot
  LadderOptions ladder;               ///< of the best shots

  std::vector<Spec> methods() const {
    return learning.chosen_methods({{"sculpt", {}}, {"gauss-newton", {}}});
  }
};

Reader<std::string> phase_and_measure() {
  return [](const std::string& flag, const std::string& text) {
    if (text.find('.') == std::string::npos) refuse(flag, text, "PHASE.NAME");
    return text;
  };
}

/// Throws InputError for flags that say nothing here.
void check_flags(const CompareOptions& options) {
  if (!options.best) {
    if (options.ladder != LadderOptions{})
      throw InputError("--wanted, --goal, --most-examples and --ladder-time: only with --best");
    return;
  }
  if (options.learning.task.examples)
    throw InputError(
        fmt::format("--examples {}: a best shot tries budgets of its own; --most-examples N is "
                    "the largest",
                    *options.learning.task.examples));
  if (!options.measures.empty())
    throw InputError(fmt::format("--measure {}: not with --best, whose table has a row a budget",
                                 options.measures.front()));
}

Answer best_shots_of(const CompareOptions& options, const RunContext& context) {
  if (!context.is_root()) return {};
  const std::uint64_t seed = options.common.seed;
  const study::BestShotOptions asked =
      shot_options(options.ladder, options.seeds.value_or(study::BestShotOptions{}.seeds),
                   options.learning.problem_options(seed), options.learning.run_options(seed),
                   {options.journal, options.jobs});
  const std::vector<study::BestShot> shots =
      study::best_shots(options.sources, options.methods(), asked, context);
  const bool interrupted = shots.back().ending == study::LadderEnding::interrupted;
  const bool all_recovered = std::ranges::all_of(
      shots, [](const study::BestShot& shot) { return shot.degree == study::Degree::recovered; });
  return {options.learning.require_recovery && !all_recovered ? ExitCode::not_recovered : ExitCode::answered,
          options.common.json ? study::json_text(shots, asked) : shots_table(shots, asked),
          interrupted ? "stopped before the end: rungs not tried are left out" : ""};
}

Answer run(const CompareOptions& options, const RunContext& context) {
  check_flags(options);
  if (options.best) return best_shots_of(options, context);
  const std::uint64_t seed = options.common.seed;
  study::ComparisonPlan plan;
  plan.sources = options.sources;
  plan.methods = options.methods();
  plan.seeds = options.seeds.value_or(plan.seeds);
  plan.problem = options.learning.problem_options(seed);
  plan.run = options.learning.run_options(seed);
  if (!plan.run.task.time_limit_seconds) plan.run.task.time_limit_seconds = study::usual_time_limit;
  plan.run.values = options.values;
  plan.execution = {.journal = options.journal, .jobs = options.jobs, .announce = true};
  const study::Comparison comparison = study::compare(plan, context);

  const bool interrupted = comparison.completion == study::Completion::interrupted;
  bool all_recovered = !interrupted;
  for (const study::ComparisonRow& row : comparison.rows)
    for (const study::RunResult& one : row.runs)
      all_recovered &= one.score.outcome == study::Outcome::recovered;
  return {options.learning.require_recovery && !all_recovered ? ExitCode::not_recovered : ExitCode::answered,
          options.common.json ? study::json_text(comparison) : comparison_table(comparison, options.measures),
          interrupted ? "stopped before the end: runs not done are left out" : ""};
}

}  // namespace

Command compare_command() {
  return make_command(
      {.name = "compare",
       .summary = "learners by instances, side by side, over seeds",
       .examples =
           {"hardhead compare nice:d=8,k=2 parity:d=6,m=2 --method gauss-newton --seeds 2 --examples 1000",
            "hardhead compare nice:d=6,k=2,m=1 --best --method gauss-newton --method adam --seeds 2"},
       .shared = true},
      FlagTable<CompareOptions>()
          .positional(
              {"SPEC",
               "instances (their seed is replaced by S, S+1, ..: S is the spec's own or --seed), data files, "
               "or all of a suite as they are: suite:NAME"},
              &CompareOptions::sources)
          .group(&CompareOptions::learning, learning_flags())
          .group(&CompareOptions::values, value_flags())
          .flag(seeds_flag(), &CompareOptions::seeds, integer_in<std::int64_t>(1, most_seeds))
          .flag(journal_flag(), &CompareOptions::journal, nonempty_text("a file name"))
          .flag(jobs_flag(), &CompareOptions::jobs, integer_in(1, most_jobs))
          .each(
              {"--measure", "PHASE.NAME",
               "one more column: median and largest of a phase's measure, as in hull_refined.hull_distance"},
              &CompareOptions::measures, phase_and_measure())
          .on({"--best", "",
               "each learner's best shot instead: the cheapest budget that succeeds, as 'best' finds it (10 "
               "seeds)"},
              &CompareOptions::best)
          .group(&CompareOptions::ladder, ladder_flags()),
      run);
}

}  // namespace hardhead::app
