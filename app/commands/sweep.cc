#include "study/results/sweep_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/command.h"
#include "app/output.h"
#include "app/text/comparison_table.h"
#include "study/report/json.h"
#include "study/sweep/compare.h"

namespace hardhead::app {
namespace {

struct SweepOptions {
  CommonOptions common;
  std::string file;
  int jobs = 1;
  std::string folder;
  bool retry_failed = false;
  std::optional<study::Part> part;
  bool wide = false;  ///< all columns
};

Reader<study::Part> part_of_a_plan() {
  return {[](const std::string& flag, const std::string& text) {
    study::Part part;
    char slash = 0;
    std::istringstream words(text);
    words >> part.index >> slash >> part.count;
    const bool read = words && words.peek() == std::istringstream::traits_type::eof() && slash == '/';
    if (!read || part.index < 1 || part.index > part.count || part.count > 100'000)
      refuse(flag, text, "I/N with 1 <= I <= N <= 100000, as in 2/3");
    return part;
  }};
}

Answer run(const SweepOptions& options, const RunContext& context) {
  const study::SweepOutcome done = study::run_sweep(
      {.file = options.file,
       .folder = options.folder,
       .command = fmt::format("hardhead sweep {} --out {}", typed(options.file), typed(options.folder)),
       .jobs = options.jobs,
       .retry_failed = options.retry_failed,
       .part = options.part,
       .without_undone = true},
      context);
  if (!context.is_root()) return {};

  Answer answer;
  if (options.common.json) {
    const Json out =
        report::report_json("sweep", {{"runs", done.runs},
                                      {"done", done.results.size()},
                                      {"from_journal", done.from_journal},
                                      {"unclaimed", done.unclaimed},
                                      {"undone", done.undone.size()},
                                      {"interrupted", done.completion == study::Completion::interrupted},
                                      {"journal", done.journal},
                                      {"results", done.table}});
    answer.text = text_of(out);
  } else {
    answer.text = comparison_table({study::rows_of(done.results), done.completion}, {options.wide}) +
                  fmt::format("\n{} of {} runs done, {} of them before; {}\n", done.results.size(), done.runs,
                              done.from_journal, done.table);
  }
  if (done.unclaimed > 0)
    answer.note = fmt::format("{} of this plan and version, and not used",
                              done.unclaimed == 1
                                  ? fmt::format("1 run in '{}' is not", done.journal)
                                  : fmt::format("{} runs in '{}' are not", done.unclaimed, done.journal));
  if (!done.undone.empty()) {
    answer.code = ExitCode::bad_input;
    answer.note = study::text_of(done.undone);
  }
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
          .flag(jobs_flag, &SweepOptions::jobs, integer_in(1, most_jobs))
          .on(retry_failed_flag, &SweepOptions::retry_failed)
          .flag(
              {"--part", "I/N",
               "only the I-th of N parts of the runs, in a folder below --out: N such commands, one after "
               "the other or at a time on any machines, and then one without --part, which takes their runs",
               "all runs"},
              &SweepOptions::part, part_of_a_plan())
          .on(wide_flag, &SweepOptions::wide)
          .required(folder_flag, &SweepOptions::folder, nonempty_text("a folder")),
      run);
}

}  // namespace hardhead::app
