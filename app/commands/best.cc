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
  std::vector<std::string> sources;
  std::vector<Spec> methods;  ///< adam, if none is given
  learner::Task task;         ///< heads and time limit of each run
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

/// Examples of the largest run of a ladder.
std::int64_t most_read(const std::vector<study::RungResult>& ladder) {
  std::int64_t examples = 0;
  for (const study::RungResult& rung : ladder)
    for (const std::vector<study::RunResult>* runs : {&rung.tuning, &rung.fresh})
      for (const study::RunResult& run : *runs) examples = std::max(examples, run.report.examples_used);
  return examples;
}

std::string ladder_table(const study::BestShot& shot) {
  std::vector<std::vector<std::string>> rows = {
      {"best setting of the rung", "examples", "choosing settings", "fresh layers", "seconds"}};
  for (const study::RungResult& rung : shot.ladder)
    rows.push_back({rung.method.str(), fmt::format("{}", most_read({rung})), degrees_of(rung.tuning),
                    degrees_of(rung.fresh), fmt::format("{:.1f}", rung.seconds)});
  return table(rows);
}

std::string ending(const study::BestShot& shot, const study::BestShotOptions& asked) {
  switch (shot.ending) {
    case study::LadderEnding::reached:
      return "-";
    case study::LadderEnding::most_examples:
      return fmt::format("more than {:.3g} examples", static_cast<double>(asked.most_examples));
    case study::LadderEnding::time_limit:
      return fmt::format("{:.3g} s had passed", asked.time_limit_seconds);
    case study::LadderEnding::interrupted:
      return "interrupted";
    default:
      return "top of the ladder";
  }
}

/// One row for each pair of instance and learner: the cheapest budget, or what was tried at most.
std::string shots_table(const std::vector<study::BestShot>& shots, const study::BestShotOptions& asked) {
  std::vector<std::vector<std::string>> rows = {{"instance", "learner", "degree", "fresh layers", "budget",
                                                 "examples", "seconds", "ladder ended: next budget"}};
  for (const study::BestShot& shot : shots) {
    const bool reached = shot.ending == study::LadderEnding::reached;
    const std::int64_t rungs = std::ssize(shot.ladder);
    rows.push_back(
        {shot.source, shot.method.str(), shot.degree ? std::string(name_of(*shot.degree)) : "-",
         shot.ladder.empty() ? "-" : degrees_of(shot.ladder.back().fresh),
         reached ? shot.ladder.back().method.str() : fmt::format("none of {}", rungs),
         reached ? fmt::format("{:.0f}", shot.examples_median) : fmt::format("> {}", most_read(shot.ladder)),
         reached ? brief(shot.seconds_median) : "-", ending(shot, asked)});
  }
  return table(rows);
}

study::BestShotOptions shot_options(const BestOptions& options) {
  const std::int64_t wanted = options.wanted.value_or((9 * options.seeds + 9) / 10);
  if (wanted > options.seeds)
    throw InputError(fmt::format("--wanted {}: at most --seeds {} is expected", wanted, options.seeds));
  study::BestShotOptions out{.seeds = options.seeds,
                             .wanted = wanted,
                             .goal = options.goal,
                             .most_examples = options.most_examples,
                             .time_limit_seconds = options.ladder_seconds};
  constexpr double part_of_the_ladder = 0.25;
  out.run.task = options.task;
  if (!out.run.task.time_limit_seconds)
    out.run.task.time_limit_seconds = part_of_the_ladder * options.ladder_seconds;
  out.problem.seed = out.run.task.seed = options.common.seed;
  out.execution = {options.journal, options.jobs};
  return out;
}

std::string shots_text(const std::vector<study::BestShot>& shots, const study::BestShotOptions& asked) {
  if (shots.size() > 1) return shots_table(shots, asked);
  return fmt::format("{}\n{}\n", ladder_table(shots.front()), study::summary(shots.front(), asked));
}

Answer climb(const BestOptions& options, const RunContext& context) {
  const study::BestShotOptions asked = shot_options(options);
  const std::vector<Spec> methods =
      options.methods.empty() ? std::vector<Spec>{{"adam", {}}} : options.methods;
  const std::vector<study::BestShot> shots = best_shots(options.sources, methods, asked, context);
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
          .each(method_flag(), &BestOptions::methods, method_spec())
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
                 "best: no budget is begun after this time, above 0 (default 3600); a run takes at most a "
                 "quarter of "
                 "it, unless --time-limit says otherwise"},
                &BestOptions::ladder_seconds, positive_number())
          .flag(journal_flag(), &BestOptions::journal, nonempty_text("a file name"))
          .flag(jobs_flag(), &BestOptions::jobs, integer_in(1, most_jobs)),
      climb);
}

}  // namespace hardhead::app
