#include "app/ladder_options.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::app {

FlagTable<LadderOptions> ladder_flags() {
  using study::Degree;
  return FlagTable<LadderOptions>()
      .flag({"--wanted", "N", "best: seeds that must succeed, at most --seeds (default: nine in ten)"},
            &LadderOptions::wanted, integer_in<std::int64_t>(1, most_seeds))
      .flag({"--goal", "learnt|recovered", "best: what counts as success (default learnt)"},
            &LadderOptions::goal,
            one_of<Degree>({{"learnt", Degree::learnt}, {"recovered", Degree::recovered}}))
      .flag(
          {"--most-examples", "N", "best: no budget with more examples is tried, at least 1 (default 10^8)"},
          &LadderOptions::most_examples, example_count())
      .flag(
          {"--ladder-time", "SECONDS",
           "best: no budget is begun after this time, above 0 (default 3600); a run takes at most a quarter "
           "of it, unless --time-limit says otherwise"},
          &LadderOptions::ladder_seconds, positive_number());
}

study::BestShotOptions shot_options(const LadderOptions& ladder, std::int64_t seeds,
                                    const study::ProblemOptions& problem, const study::RunOptions& run,
                                    const study::ExecuteOptions& execution) {
  constexpr double part_of_the_ladder = 0.25;
  study::BestShotOptions out{
      .seeds = seeds, .wanted = ladder.wanted.value_or((9 * seeds + 9) / 10), .problem = problem, .run = run};
  out.execution = execution;
  out.goal = ladder.goal.value_or(out.goal);
  out.most_examples = ladder.most_examples.value_or(out.most_examples);
  out.time_limit_seconds = ladder.ladder_seconds.value_or(out.time_limit_seconds);
  if (out.wanted > seeds)
    throw InputError(fmt::format("--wanted {}: at most --seeds {} is expected", out.wanted, seeds));
  if (!out.run.task.time_limit_seconds)
    out.run.task.time_limit_seconds = part_of_the_ladder * out.time_limit_seconds;
  return out;
}

}  // namespace hardhead::app
