#include "study/sweep.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/comparison_table.h"
#include "app/output.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/read_file.h"
#include "study/compare.h"
#include "study/json.h"
#include "study/run_tables.h"
#include "study/sweep_record.h"

namespace hardhead::app {
namespace {

Answer run(const Settings& settings, const RunControl& control) {
  const std::vector<study::PlannedRun> plan = study::read_sweep(settings.source);
  if (!control.leads()) {
    study::execute(plan, {.jobs = settings.jobs}, control);
    return {};
  }
  std::error_code failure;
  std::filesystem::create_directories(settings.output, failure);
  if (failure || !std::filesystem::is_directory(settings.output))
    throw InputError(fmt::format("--out {}: is not a folder that can be written to", settings.output));
  const std::string results_file = settings.output + "/results.csv";
  check_writable(results_file);
  study::write_sweep_record(
      {.command = fmt::format("hardhead sweep {} --out {}", typed(settings.source), typed(settings.output)),
       .file = read_file(settings.source),
       .runs = static_cast<std::int64_t>(plan.size())},
      settings.output);
  const std::string journal = settings.output + "/journal.jsonl";
  study::Executed done =
      study::execute(plan, {.journal = journal, .jobs = settings.jobs, .announce = true}, control);

  std::vector<study::RunResult> results;
  for (auto& result : done.results)
    if (result) results.push_back(std::move(*result));
  AtomicFile file(results_file);
  file.stream() << study::csv(study::runs_table(results));
  file.commit();

  Answer answer;
  if (settings.json) {
    const nlohmann::ordered_json out = study::report_json({{"runs", plan.size()},
                                                           {"done", results.size()},
                                                           {"from_journal", done.from_journal},
                                                           {"unclaimed", done.unclaimed},
                                                           {"interrupted", done.interrupted},
                                                           {"journal", journal},
                                                           {"results", results_file}});
    answer.text = text_of(out);
  } else {
    answer.text = comparison_table({study::rows_of(results), done.interrupted}, {}) +
                  fmt::format("\n{} of {} runs done, {} of them before; {}\n", results.size(), plan.size(),
                              done.from_journal, results_file);
  }
  if (done.unclaimed > 0)
    answer.note = fmt::format("{} runs in '{}' are not of this plan and version, and were not used",
                              done.unclaimed, journal);
  if (done.interrupted) answer.note = "stopped before the end: the same command goes on from the journal";
  return answer;
}

}  // namespace

Command sweep_command() {
  return {"sweep",
          "a grid of runs from a TOML file, journalled: the same command goes on after a stop",
          {"FILE.toml", "what to run: [[grid]] tables of sources, parameters, methods, options, seeds"},
          {"--jobs"},
          {"--out"},
          {"hardhead sweep study.toml --out results --jobs 2"},
          run,
          true};
}

}  // namespace hardhead::app
