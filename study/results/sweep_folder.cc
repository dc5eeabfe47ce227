#include "study/results/sweep_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files/atomic_file.h"
#include "base/files/folder_lock.h"
#include "base/files/output_folder.h"
#include "base/files/read_file.h"
#include "base/machine_error.h"
#include "study/results/run_tables.h"
#include "study/sweep/at_root.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_record.h"

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

SweepOutcome run_sweep(const SweepRequest& request, const RunContext& context) {
  const std::string folder =
      request.part ? fmt::format("{}/part-{}-of-{}", request.folder, request.part->index, request.part->count)
                   : request.folder;
  SweepOutcome out{.journal = fmt::format("{}/{}", folder, journal_name), .table = folder + "/results.csv"};
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
  out.completion = done.completion;
  if (!context.is_root()) return out;

  out.runs = done.runs;
  out.from_journal = done.from_journal;
  out.unclaimed = done.unclaimed;
  out.undone = std::move(done.undone);
  for (auto& result : done.results)
    if (result) out.results.push_back(std::move(*result));
  AtomicFile file(out.table);
  file.stream() << report::csv(runs_table(out.results));
  file.commit();
  if (!out.undone.empty() && !request.without_undone) throw MachineError(text_of(out.undone));
  return out;
}

}  // namespace hardhead::study
