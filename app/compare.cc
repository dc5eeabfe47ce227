#include "study/compare.h"

#include <fmt/format.h>

#include "app/command.h"
#include "app/comparison_table.h"
#include "app/flags.h"
#include "app/output.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

Answer run(const Settings& settings, const RunControl& control) {
  study::ComparisonPlan plan;
  plan.sources = settings.sources;
  plan.methods = settings.chosen_methods({{"sculpt", {}}, {"gauss-newton", {}}});
  plan.seeds = settings.seeds;
  plan.problem = settings.problem_options();
  plan.run = settings.run_options();
  plan.execution = {settings.journal, settings.jobs};
  const study::Comparison comparison = study::compare(plan, control);

  bool all_recovered = !comparison.interrupted;
  for (const study::ComparisonRow& row : comparison.rows)
    all_recovered &= row.recovered == static_cast<std::int64_t>(row.runs.size());
  return {settings.require_recovery && !all_recovered ? ExitCode::not_recovered : ExitCode::answered,
          settings.json ? study::json_text(comparison) : comparison_table(comparison, settings.measures),
          comparison.interrupted ? "stopped before the end: runs not done are left out" : ""};
}

}  // namespace

Command compare_command() {
  return {
      "compare",
      "learners by instances, side by side, over seeds",
      {"SPEC",
       "instances (their seed is replaced by S, S+1, ..: S is the spec's own or --seed), data files, or all of a "
       "suite as they are: suite:NAME",
       true},
      learning_flags({"--seeds", "--journal", "--jobs", "--measure"}),
      {},
      {"hardhead compare nice:d=8,k=2 parity:d=6,m=2 --method gauss-newton --seeds 2 --examples 1000"},
      run,
      true};
}

}  // namespace hardhead::app
