#include <fmt/format.h>

#include "app/command.h"
#include "app/flags.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/best_shot_text.h"
#include "study/best/best_shot.h"

namespace hardhead::app {
namespace {

struct BestOptions {
  CommonOptions common;
  std::vector<std::string> sources;
  LayerExamples layer;                    ///< of sources that are layer files
  std::vector<learner::Learner> methods;  ///< adam, if none is given
  learner::Task task;                     ///< heads and time limit of each run
  std::int64_t seeds = study::BestShotOptions{}.plan.seeds;
  LadderOptions ladder;
  std::optional<std::string> journal;
  int jobs = 1;
  bool retry_failed = false;
};

std::string shots_text(const std::vector<study::BestShot>& shots, const study::BestShotOptions& asked) {
  if (shots.size() > 1) return shots_table(shots, asked);
  return fmt::format("{}\n{}", ladder_table(shots.front()), wrapped(study::summary(shots.front(), asked)));
}

Answer climb(const BestOptions& options, const RunContext& context) {
  study::Plan plan{
      .sources = study::series_of(options.layer.of(options.sources)),
      .learners = options.methods,
      .seeds = options.seeds,
      .seed = options.common.seed,
      .run = {.task = options.task},
      .execution = {.journal = options.journal, .jobs = options.jobs, .retry_failed = options.retry_failed}};
  if (plan.learners.empty()) plan.learners = {Spec{"adam", {}}};
  const study::BestShotOptions asked = shot_options(options.ladder, std::move(plan));
  const std::vector<study::BestShot> shots = best_shots(asked, context);
  const bool interrupted = shots.back().ending == study::LadderEnding::interrupted;
  return {ExitCode::answered, options.common.json ? study::json_text(shots, asked) : shots_text(shots, asked),
          interrupted ? "stopped before the end: rungs not tried are left out" : ""};
}

}  // namespace

Command best_command() {
  return make_command(
      {.name = "best",
       .summary = "the cheapest budget with which a learner succeeds, or the ladder of budgets that failed",
       .examples = {"hardhead best parity:d=6,m=2 --seeds 2 --most-examples 2000000",
                    "hardhead best nice:d=6,k=2,m=1 parity:d=6,m=2 --method phase1 --method adam "
                    "--seeds 2 --most-examples 700000"}},
      FlagTable<BestOptions>()
          .positional(
              {"SPEC", "instances (their seed is replaced by S, S+1, ..: S is the spec's own or --seed)"},
              &BestOptions::sources)
          .each(method_flag("adam"), &BestOptions::methods, learner_spec())
          .group(&BestOptions::layer, layer_examples_flags())
          .group(&BestOptions::task, FlagTable<learner::Task>().flag(heads_flag(), &learner::Task::heads,
                                                                     integer_in<std::int64_t>(1, most_heads)))
          .flag(seeds_flag(), &BestOptions::seeds, integer_in<std::int64_t>(1, most_seeds))
          .group(&BestOptions::ladder, ladder_flags())
          .group(&BestOptions::task, time_limit_flags())
          .flag(journal_flag(), &BestOptions::journal, nonempty_text("a file name"))
          .flag(jobs_flag(), &BestOptions::jobs, integer_in(1, most_jobs))
          .on(retry_failed_flag(), &BestOptions::retry_failed),
      climb);
}

}  // namespace hardhead::app
