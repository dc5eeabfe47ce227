#include <fmt/format.h>

#include <algorithm>

#include "app/command.h"
#include "app/flags.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/degree_shade.h"
#include "base/error.h"
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
  std::optional<std::int64_t> wanted;  ///< nine in ten of the seeds, if not said
  study::BestShotOptions ladder;       ///< goal and limits
  std::optional<std::string> journal;
  int jobs = 1;
  bool retry_failed = false;
};

std::string degrees_of(const std::vector<study::RunResult>& runs) {
  study::DegreeCounts counts;
  for (const study::RunResult& run : runs) counts.add(run.score.degree);
  return counts.str();
}

/// Examples or queries of the largest run of a ladder.
std::int64_t most_asked(const std::vector<study::RungResult>& ladder) {
  std::int64_t most = 0;
  for (const study::RungResult& rung : ladder)
    for (const std::vector<study::RunResult>* runs : {&rung.tuning, &rung.fresh})
      for (const study::RunResult& run : *runs) most = std::max(most, run.asked());
  return most;
}

std::string ending(const study::BestShot& shot, const study::BestShotOptions& asked) {
  switch (shot.ending) {
    case study::LadderEnding::reached:
      return "-";
    case study::LadderEnding::most_examples:
      return fmt::format("more than {:.3g} examples", static_cast<double>(asked.most_examples));
    case study::LadderEnding::time_limit:
      return fmt::format("its runs took {:.3g} s", asked.time_limit_seconds);
    case study::LadderEnding::interrupted:
      return "interrupted";
    default:
      return "top of the ladder";
  }
}

/// One row for each rung of a ladder.
std::string ladder_table(const study::BestShot& shot) {
  Rows rows = {{"best setting of the rung", shot.method.asks_values() ? "queries" : "examples",
                "choosing settings", "fresh layers", "seconds"}};
  for (const study::RungResult& rung : shot.ladder)
    rows.push_back({rung.method.str(), fmt::format("{}", most_asked({rung})), degrees_of(rung.tuning),
                    degrees_of(rung.fresh), fmt::format("{:.1f}", rung.seconds)});
  return table(rows);
}

/// One row for each pair of instance and learner: the cheapest budget, or how much was tried at most and why
/// the ladder ended.
std::string shots_table(const std::vector<study::BestShot>& shots, const study::BestShotOptions& asked) {
  const bool values =
      std::ranges::any_of(shots, [](const study::BestShot& shot) { return shot.method.asks_values(); });
  Rows rows = {{"instance", "learner", "told", "degree", "fresh layers", "budget",
                values ? "examples or queries" : "examples", "seconds", "ladder ended: next budget"}};
  for (const study::BestShot& shot : shots) {
    const bool reached = shot.ending == study::LadderEnding::reached;
    const std::int64_t rungs = std::ssize(shot.ladder);
    rows.push_back(
        {shot.source, shot.method.str(), std::string(name_of(shot.method.told())),
         shot.degree ? painted(shade_of(*shot.degree), std::string(name_of(*shot.degree))) : "-",
         shot.ladder.empty() ? "-" : degrees_of(shot.ladder.back().fresh),
         reached ? shot.ladder.back().method.str() : fmt::format("none of {}", rungs),
         reached ? fmt::format("{:.0f}", shot.asked_median) : fmt::format("> {}", most_asked(shot.ladder)),
         reached ? brief(shot.seconds_median) : "-", ending(shot, asked)});
  }
  return table(without_uniform(std::move(rows), "told", name_of(learner::Told::nothing)), 2);
}

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
  // A run takes at most a quarter of the ladder's time, unless it has a limit of its own.
  if (!options.task.time_limit_seconds)
    plan.run.task.time_limit_seconds = study::run_share * options.ladder.time_limit_seconds;
  study::BestShotOptions asked = options.ladder;
  asked.plan = std::move(plan);
  asked.wanted = options.wanted.value_or((9 * options.seeds + 9) / 10);
  if (asked.wanted > options.seeds)
    throw InputError(fmt::format("--wanted {}: at most --seeds {} is expected", asked.wanted, options.seeds));
  const std::vector<study::BestShot> shots = best_shots(asked, context);
  const bool interrupted = shots.back().ending == study::LadderEnding::interrupted;
  return {options.common.json ? study::json_text(shots, asked) : shots_text(shots, asked),
          interrupted ? "stopped before the end: rungs not tried are left out" : ""};
}

FlagTable<study::BestShotOptions> ladder_flags() {
  using study::BestShotOptions;
  using study::Degree;
  return FlagTable<BestShotOptions>()
      .flag({"--goal", "DEGREE", "what counts as success"}, &BestShotOptions::goal,
            one_of<Degree>({{"learnt", Degree::learnt}, {"recovered", Degree::recovered}}))
      .flag({"--most-examples", "N", "no budget with more examples is tried"},
            &BestShotOptions::most_examples, example_count())
      .flag({"--ladder-time", "SECONDS",
             "no budget is begun once its runs took this time together; a run takes at most a quarter of it, "
             "unless --time-limit says otherwise"},
            &BestShotOptions::time_limit_seconds, time_span());
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
          .group(&BestOptions::task, FlagTable<learner::Task>().flag(heads_flag, &learner::Task::heads,
                                                                     integer_in<std::int64_t>(1, most_heads)))
          .flag(seeds_flag, &BestOptions::seeds, integer_in<std::int64_t>(1, most_seeds))
          .flag({"--wanted", "N", "seeds that must succeed, at most --seeds", "nine in ten"},
                &BestOptions::wanted, integer_in<std::int64_t>(1, most_seeds))
          .group(&BestOptions::ladder, ladder_flags())
          .group(&BestOptions::task, time_limit_flags())
          .flag(journal_flag, &BestOptions::journal, nonempty_text("a file name"))
          .flag(jobs_flag, &BestOptions::jobs, integer_in(1, most_jobs))
          .on(retry_failed_flag, &BestOptions::retry_failed),
      climb);
}

}  // namespace hardhead::app
