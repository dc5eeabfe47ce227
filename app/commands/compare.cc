#include "study/sweep/compare.h"

#include <algorithm>
#include <memory>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/comparison_table.h"
#include "base/error.h"
#include "base/files/folder_lock.h"
#include "base/files/paths.h"
#include "base/text/record_json.h"
#include "study/results/sweep_folder.h"

namespace hardhead::app {
namespace {

struct CompareOptions {
  CommonOptions common;
  LearningOptions learning{.methods = {}, .task = {.time_limit_seconds = study::usual_time_limit}};
  std::vector<std::string> sources;
  LayerExamples layer;  ///< of sources that are layer files
  std::int64_t seeds = 1;
  std::optional<std::string> journal;  ///< a file of runs done
  study::ValueAccess values;           ///< of learners by value queries
  int jobs = 1;
  bool retry_failed = false;
  std::optional<Axis> against;
  std::optional<std::string> folder;  ///< for journal, tables and figures
  std::optional<report::FigureStyle> style;
  bool wide = false;                  ///< all columns
  std::vector<std::string> measures;  ///< PHASE.NAME: more columns
};

Reader<std::string> phase_and_measure() {
  return {[](const std::string& flag, const std::string& text) {
    if (text.find('.') == std::string::npos) refuse(flag, text, "PHASE.NAME");
    return text;
  }};
}

/// Each source, or each at every value of the axis.
std::vector<study::SourceSeries> sources_of(const CompareOptions& options) {
  const std::vector<std::string> named = options.layer.of(options.sources);
  if (!options.against) return study::series_of(named);
  std::vector<std::string> out;
  for (const std::string& source : named)
    for (const std::string& value : options.against->values)
      out.push_back(options.against->at(source, value));
  return study::series_of(out);
}

/// Holds the folder, so that nobody else writes into it.
std::unique_ptr<FolderLock> held(const std::optional<std::string>& folder) {
  if (!folder) return nullptr;
  make_output_folder(*folder);
  return std::make_unique<FolderLock>(*folder);
}

Answer run(const CompareOptions& options, const RunContext& context) {
  if (options.style && !options.folder)
    throw InputError("--style, --width and --font are of figures, which --out DIR has drawn");
  const auto lock = study::at_root(context, [&] { return held(options.folder); });
  study::Plan plan{.sources = sources_of(options),
                   .learners = options.learning.methods,
                   .seeds = options.seeds,
                   .seed = options.common.seed,
                   .holdout = options.learning.holdout,
                   .truth = options.learning.truth,
                   .run = options.learning.run_options(),
                   .execution = {.journal = journal_of(options.journal, options.folder),
                                 .jobs = options.jobs,
                                 .announce = true,
                                 .retry_failed = options.retry_failed,
                                 .without_undone = true}};
  if (plan.learners.empty()) plan.learners = {Spec{"sculpt", {}}, Spec{"gauss-newton", {}}};
  plan.run.values = options.values;
  study::check_access(plan.learners, plan.run);
  const study::Comparison comparison = study::compare(plan, context);

  if (options.folder && context.is_root())
    study::write_comparison(comparison.rows, *options.folder, options.style.value_or(report::FigureStyle{}));
  const bool interrupted = comparison.completion == study::Completion::interrupted;
  bool all_recovered = !interrupted;
  for (const study::ComparisonRow& row : comparison.rows)
    for (const study::RunResult& one : row.runs)
      all_recovered &= one.score.outcome == study::Outcome::recovered;
  const bool not_all = options.learning.require_recovery && !all_recovered;
  Answer answer{options.common.json ? text_of(record_to_json(comparison))
                                    : comparison_table(comparison, {options.wide, options.measures}),
                interrupted ? "stopped before the end: runs not done are left out" : "",
                not_all ? ExitCode::not_recovered : ExitCode::answered};
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
           {"hardhead compare nice:d=8,k=2 parity:d=6,m=2 --method gauss-newton --seeds 2 --examples 1000",
            "hardhead compare nice:d=6,k=2 --against m=1,2 --method gauss-newton --examples 2k --out heads"},
       .shared = true},
      FlagTable<CompareOptions>()
          .positional(
              {"SPEC",
               "instances (their seed is replaced by S, S+1, ..: S is the spec's own or --seed), data files, "
               "or all of a suite as they are: suite:NAME"},
              &CompareOptions::sources)
          .group(&CompareOptions::learning, learning_flags("sculpt and gauss-newton"))
          .group(&CompareOptions::layer, layer_examples_flags())
          .group(&CompareOptions::values, value_flags())
          .flag(seeds_flag, &CompareOptions::seeds, integer_in<std::int64_t>(1, most_seeds))
          .flag(journal_flag, &CompareOptions::journal, nonempty_text("a file name"))
          .flag(jobs_flag, &CompareOptions::jobs, integer_in(1, most_jobs))
          .on(retry_failed_flag, &CompareOptions::retry_failed)
          .flag(against_flag, &CompareOptions::against, axis_values())
          .flag(folder_flag, &CompareOptions::folder, nonempty_text("a folder"))
          .group(&CompareOptions::style, figure_flags())
          .on(wide_flag, &CompareOptions::wide)
          .each(
              {"--measure", "PHASE.NAME",
               "one more column: median and largest of a phase's measure, as in hull_refined.hull_distance"},
              &CompareOptions::measures, phase_and_measure()),
      run);
}

}  // namespace hardhead::app
