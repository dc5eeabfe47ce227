#include "study/results/sweep_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/folder_lock.h"
#include "base/files/paths.h"
#include "base/files/read_file.h"
#include "base/text/record_json.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"
#include "study/sweep/sweep.h"

namespace hardhead::study {
namespace {

/// What the root rank has of a sweep before its first run; the others have nothing.
struct Begun {
  std::vector<RunRequest> plan;
  std::unique_ptr<FolderLock> lock;
  SweepRecord record{};
};

/// Nothing is written into a folder in which another process is at work.
Begun begin(const SweepRequest& request, const std::string& folder, const std::string& table) {
  Begun begun{read_sweep(request.file, request.own), nullptr};
  if (request.part) make_output_folder(request.folder);
  make_output_folder(folder);
  begun.lock = std::make_unique<FolderLock>(folder);
  const AtomicFile probe(table);  // that it can be written, before hours of work
  begun.record = {.command = request.command,
                  .file = read_file(request.file),
                  .runs = static_cast<std::int64_t>(begun.plan.size())};
  return begun;
}

constexpr const char* journal_name = "journal.jsonl";

/// Runs of parts that the journal does not have.
void take_parts(const std::string& folder, const JournalFile& journal) {
  std::error_code ignored;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
       entry.increment(ignored))
    if (entry->path().filename().string().starts_with("part-"))
      if (const auto file = entry->path() / journal_name; std::filesystem::exists(file, ignored))
        files.push_back(file.string());
  std::ranges::sort(files);
  for (const std::string& file : files)
    for (const NamedRun& run : read_journal(file))
      if (!journal.open().find(run.name)) journal.open().append(run.name, run.result);
}

}  // namespace

void write_sweep_record(const SweepRecord& record, const std::string& folder) {
  write_text(folder + "/sweep.json", text_of_json(record_to_json(record), 2) + "\n");
}

std::optional<SweepRecord> read_sweep_record(const std::string& folder) {
  const std::string path = folder + "/sweep.json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  try {
    const auto document = parse_json<Json>(read_file(path), 2);
    SweepRecord out;
    read_record(JsonObject(document, "the record"), out);
    return out;
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': not a sweep's record ({})", path, error.what()));
  }
}

SweepOutcome run_sweep(const SweepRequest& request, const RunContext& context) {
  const std::string folder =
      request.part ? fmt::format("{}/part-{}-of-{}", request.folder, request.part->index, request.part->count)
                   : request.folder;
  SweepOutcome out;
  out.journal = fmt::format("{}/{}", folder, journal_name);
  out.table = folder + "/results.csv";
  const JournalFile journal(out.journal);
  Begun begun = at_root(context, [&] {
    Begun made = begin(request, folder, out.table);
    if (!request.part) take_parts(folder, journal);
    return made;
  });
  Executed done = execute(begun.plan,
                          {.journal = journal,
                           .jobs = request.jobs,
                           .bad_point = BadPoint::is_a_result,
                           .announce = true,
                           .retry_failed = request.retry_failed,
                           .without_undone = true,
                           .part = request.part.value_or(Part{}),
                           .named =
                               [&](const std::vector<std::string>& names) {
                                 begun.record.names = names;
                                 write_sweep_record(begun.record, folder);
                               }},
                          context);
  static_cast<Execution&>(out) = static_cast<const Execution&>(done);
  if (!context.is_root()) return out;

  for (auto& result : done.results)
    if (result) out.results.push_back(std::move(*result));
  write_text(out.table, report::csv(runs_table(out.results)));
  if (!out.undone.empty() && !request.without_undone) throw MachineError(text_of(out.undone));
  return out;
}

void write_comparison(const std::vector<ComparisonRow>& rows, const std::string& folder,
                      const report::FigureStyle& style) {
  std::vector<ComparisonRow> done;  // an interrupted comparison has rows without runs
  std::vector<RunResult> runs;
  for (const ComparisonRow& row : rows) {
    if (row.runs.empty()) continue;
    done.push_back(row);
    runs.insert(runs.end(), row.runs.begin(), row.runs.end());
  }
  write_text(folder + "/results.csv", report::csv(runs_table(runs)));
  write_text(folder + "/rows.csv", report::csv(rows_table(done)));
  if (done.empty()) return;
  std::vector<report::Figure> figures = sweep_figures(done);
  if (figures.empty()) figures = instance_figures(done);
  make_output_folder(folder + "/figures");
  for (const report::Figure& figure : figures) draw(figure, folder + "/figures", style);
}

}  // namespace hardhead::study
