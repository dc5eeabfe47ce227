#include <fmt/format.h>

#include <algorithm>

#include "app/command.h"
#include "app/flags.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "base/error.h"
#include "study/best/best_shot.h"

namespace hardhead::app {
namespace {

struct BestOptions {
  CommonOptions common;
  std::string source;
  Spec method{"adam", {}};
  learner::Task task;  ///< heads and time limit of each run
  std::int64_t seeds = 10;
  std::optional<std::int64_t> wanted;  ///< nine in ten of the seeds, if not said
  study::Degree goal = study::Degree::learnt;
  std::int64_t most_examples = 100'000'000;
  double ladder_seconds = 3600;
  std::optional<std::string> journal;
  int jobs = 1;
};

std::string degrees_of(const std::vector<study::RunResult>& runs) {
  study::DegreeCounts counts;
  for (const study::RunResult& run : runs) counts.add(run.score.degree);
  return counts.str();
}

std::string ladder_table(const study::BestShot& shot) {
  std::vector<std::vector<std::string>> rows = {
      {"best setting of the rung", "examples", "choosing settings", "fresh layers", "seconds"}};
  for (const study::RungResult& rung : shot.ladder) {
    std::int64_t examples = 0;
    for (const std::vector<study::RunResult>* runs : {&rung.tuning, &rung.fresh})
      for (const study::RunResult& run : *runs) examples = std::max(examples, run.report.examples_used);
    rows.push_back({rung.method.str(), fmt::format("{}", examples), degrees_of(rung.tuning),
                    degrees_of(rung.fresh), fmt::format("{:.1f}", rung.seconds)});
  }
  return table(rows);
}

study::BestShotOptions shot_options(const BestOptions& options) {
  const std::int64_t wanted = options.wanted.value_or((9 * options.seeds + 9) / 10);
  if (wanted > options.seeds)
    throw InputError(fmt::format("--wanted {}: at most --seeds {} is expected", wanted, options.seeds));
  study::BestShotOptions out{.source = options.source,
                             .method = options.method,
                             .seeds = options.seeds,
                             .wanted = wanted,
                             .goal = options.goal,
                             .most_examples = options.most_examples,
                             .time_limit_seconds = options.ladder_seconds};
  out.run.task = options.task;
  out.problem.seed = out.run.task.seed = options.common.seed;
  out.execution = {options.journal, options.jobs};
  return out;
}

Answer climb(const BestOptions& options, const RunContext& context) {
  const study::BestShotOptions shot_settings = shot_options(options);
  const study::BestShot shot = study::best_shot(shot_settings, context);
  const bool interrupted = shot.ending == study::LadderEnding::interrupted;
  return {ExitCode::answered,
          options.common.json
              ? study::json_text(shot, shot_settings)
              : fmt::format("{}\n{}\n", ladder_table(shot), study::summary(shot, shot_settings)),
          interrupted ? "stopped before the end: rungs not tried are left out" : ""};
}

}  // namespace

Command best_command() {
  return make_command(
      {.name = "best",
       .summary = "the cheapest budget with which a learner succeeds, or the ladder of budgets that failed",
       .examples = {"hardhead best parity:d=6,m=2 --seeds 2 --most-examples 2000000"}},
      FlagTable<BestOptions>()
          .positional(
              {"SPEC", "an instance (its seed is replaced by S, S+1, ..: S is the spec's own or --seed)"},
              &BestOptions::source)
          .flag(method_flag(), &BestOptions::method, method_spec())
          .group(&BestOptions::task, FlagTable<learner::Task>().flag(heads_flag(), &learner::Task::heads,
                                                                     integer_in<std::int64_t>(1, most_heads)))
          .flag(seeds_flag(), &BestOptions::seeds, integer_in<std::int64_t>(1, most_seeds))
          .flag({"--wanted", "N", "best: seeds that must succeed, at most --seeds (default: nine in ten)"},
                &BestOptions::wanted, integer_in<std::int64_t>(1, most_seeds))
          .flag({"--goal", "learnt|recovered", "best: what counts as success (default learnt)"},
                &BestOptions::goal,
                one_of<study::Degree>(
                    {{"learnt", study::Degree::learnt}, {"recovered", study::Degree::recovered}}))
          .flag({"--most-examples", "N",
                 "best: no budget with more examples is tried, at least 1 (default 10^8)"},
                &BestOptions::most_examples, example_count())
          .group(&BestOptions::task, time_limit_flags())
          .flag({"--ladder-time", "SECONDS",
                 "best: no budget is begun after this time, above 0 (default 3600)"},
                &BestOptions::ladder_seconds, positive_number())
          .flag(journal_flag(), &BestOptions::journal, nonempty_text("a file name"))
          .flag(jobs_flag(), &BestOptions::jobs, integer_in(1, most_jobs)),
      climb);
}

}  // namespace hardhead::app
