#include "study/sweep/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/comparison_table.h"
#include "base/error.h"
#include "study/sweep/json.h"

namespace hardhead::app {
namespace {

struct CompareOptions {
  CommonOptions common;
  LearningOptions learning{.methods = {}, .task = {.time_limit_seconds = study::usual_time_limit}};
  std::vector<std::string> sources;
  std::int64_t seeds = 1;
  std::optional<std::string> journal;  ///< a file of runs done
  study::ValueAccess values;           ///< of learners by value queries
  int jobs = 1;
  bool retry_failed = false;
  std::vector<std::string> measures;  ///< PHASE.NAME: more columns
};

Reader<std::string> phase_and_measure() {
  return {[](const std::string& flag, const std::string& text) {
    if (text.find('.') == std::string::npos) refuse(flag, text, "PHASE.NAME");
    return text;
  }};
}

Answer run(const CompareOptions& options, const RunContext& context) {
  study::Plan plan{.sources = study::series_of(options.sources),
                   .learners = options.learning.methods,
                   .seeds = options.seeds,
                   .seed = options.common.seed,
                   .holdout = options.learning.holdout,
                   .truth = options.learning.truth,
                   .run = options.learning.run_options(),
                   .execution = {.journal = options.journal,
                                 .jobs = options.jobs,
                                 .announce = true,
                                 .retry_failed = options.retry_failed,
                                 .without_undone = true}};
  if (plan.learners.empty()) plan.learners = {Spec{"sculpt", {}}, Spec{"gauss-newton", {}}};
  plan.run.values = options.values;
  const auto alike = [&](const learner::Learner& one) {
    return one.asks_values() == plan.learners.front().asks_values();
  };
  if (std::ranges::all_of(plan.learners, alike)) {  // else what says nothing to one says something to another
    study::RunOptions told = plan.run;
    told.method = plan.learners.front();
    study::check_access(told);
  }
  const study::Comparison comparison = study::compare(plan, context);

  const bool interrupted = comparison.completion == study::Completion::interrupted;
  bool all_recovered = !interrupted;
  for (const study::ComparisonRow& row : comparison.rows)
    for (const study::RunResult& one : row.runs)
      all_recovered &= one.score.outcome == study::Outcome::recovered;
  const bool not_all = options.learning.require_recovery && !all_recovered;
  Answer answer{
      not_all ? ExitCode::not_recovered : ExitCode::answered,
      options.common.json ? study::json_text(comparison) : comparison_table(comparison, options.measures),
      interrupted ? "stopped before the end: runs not done are left out" : ""};
  if (!interrupted && !comparison.undone.empty()) {
    answer.code = ExitCode::bad_input;
    answer.note = study::text_of(comparison.undone);
  }
  return answer;
}

}  // namespace

Command compare_command() {
  return make_command(
      {.name = "compare",
       .summary = "learners by instances, side by side, over seeds",
       .examples =
           {"hardhead compare nice:d=8,k=2 parity:d=6,m=2 --method gauss-newton --seeds 2 --examples 1000"},
       .shared = true},
      FlagTable<CompareOptions>()
          .positional(
              {"SPEC",
               "instances (their seed is replaced by S, S+1, ..: S is the spec's own or --seed), data files, "
               "or all of a suite as they are: suite:NAME"},
              &CompareOptions::sources)
          .group(&CompareOptions::learning, learning_flags("sculpt and gauss-newton"))
          .group(&CompareOptions::values, value_flags())
          .flag(seeds_flag(), &CompareOptions::seeds, integer_in<std::int64_t>(1, most_seeds))
          .flag(journal_flag(), &CompareOptions::journal, nonempty_text("a file name"))
          .flag(jobs_flag(), &CompareOptions::jobs, integer_in(1, most_jobs))
          .on(retry_failed_flag(), &CompareOptions::retry_failed)
          .each(
              {"--measure", "PHASE.NAME",
               "one more column: median and largest of a phase's measure, as in hull_refined.hull_distance"},
              &CompareOptions::measures, phase_and_measure()),
      run);
}

}  // namespace hardhead::app
