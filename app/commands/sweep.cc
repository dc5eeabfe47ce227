#include "study/sweep/sweep.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/text/comparison_table.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/folder_lock.h"
#include "base/files/output_folder.h"
#include "base/files/read_file.h"
#include "report/json.h"
#include "study/results/run_tables.h"
#include "study/sweep/at_root.h"
#include "study/sweep/compare.h"
#include "study/sweep/json.h"
#include "study/sweep/sweep_record.h"

namespace hardhead::app {
namespace {

struct SweepOptions {
  CommonOptions common;
  std::string file;
  int jobs = 1;
  std::string folder;
};

/// What the root rank has of a sweep before its first run; the others have nothing.
struct Begun {
  std::vector<study::PlannedRun> plan;
  std::unique_ptr<FolderLock> lock;
};

std::string results_file(const SweepOptions& options) {
  return options.folder + "/results.csv";
}

/// Nothing is written into a folder in which another process is at work.
Begun begin(const SweepOptions& options) {
  Begun begun{study::read_sweep(options.file), nullptr};
  make_output_folder(options.folder);
  begun.lock = std::make_unique<FolderLock>(options.folder);
  check_writable(results_file(options));
  study::write_sweep_record(
      {.command = fmt::format("hardhead sweep {} --out {}", typed(options.file), typed(options.folder)),
       .file = read_file(options.file),
       .runs = static_cast<std::int64_t>(begun.plan.size())},
      options.folder);
  return begun;
}

Answer run(const SweepOptions& options, const RunContext& context) {
  const Begun begun = study::at_root(context, [&] { return begin(options); });
  const std::vector<study::PlannedRun>& plan = begun.plan;
  const std::string journal = options.folder + "/journal.jsonl";
  study::Executed done = study::execute(
      plan,
      {.journal = journal, .jobs = options.jobs, .bad_point = study::BadPoint::is_a_result, .announce = true},
      context);
  if (!context.is_root()) return {};

  std::vector<study::RunResult> results;
  for (auto& result : done.results)
    if (result) results.push_back(std::move(*result));
  AtomicFile file(results_file(options));
  file.stream() << report::csv(study::runs_table(results));
  file.commit();

  Answer answer;
  if (options.common.json) {
    const nlohmann::ordered_json out =
        report::report_json({{"runs", plan.size()},
                             {"done", results.size()},
                             {"from_journal", done.from_journal},
                             {"unclaimed", done.unclaimed},
                             {"interrupted", done.completion == study::Completion::interrupted},
                             {"journal", journal},
                             {"results", results_file(options)}});
    answer.text = text_of(out);
  } else {
    answer.text = comparison_table({study::rows_of(results), done.completion}, {}) +
                  fmt::format("\n{} of {} runs done, {} of them before; {}\n", results.size(), plan.size(),
                              done.from_journal, results_file(options));
  }
  if (done.unclaimed > 0)
    answer.note =
        fmt::format("{} of this plan and version, and not used",
                    done.unclaimed == 1 ? fmt::format("1 run in '{}' is not", journal)
                                        : fmt::format("{} runs in '{}' are not", done.unclaimed, journal));
  if (done.completion == study::Completion::interrupted)
    answer.note = "stopped before the end: the same command goes on from the journal";
  return answer;
}

}  // namespace

Command sweep_command() {
  return make_command(
      {.name = "sweep",
       .summary = "a grid of runs from a TOML file, journalled: the same command goes on after a stop",
       .examples = {"hardhead sweep study.toml --out results --jobs 2"},
       .shared = true},
      FlagTable<SweepOptions>()
          .positional(
              {"FILE.toml", "what to run: [[grid]] tables of sources, parameters, methods, options, seeds"},
              &SweepOptions::file)
          .flag(jobs_flag(), &SweepOptions::jobs, integer_in(1, most_jobs))
          .required(folder_flag(), &SweepOptions::folder, nonempty_text("a folder")),
      run);
}

}  // namespace hardhead::app
