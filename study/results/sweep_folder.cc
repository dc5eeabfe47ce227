#include "study/results/sweep_folder.h"

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
Begun begin(const SweepRequest& request, const std::string& table) {
  Begun begun{read_sweep(request.file, request.own), nullptr};
  make_output_folder(request.folder);
  begun.lock = std::make_unique<FolderLock>(request.folder);
  const AtomicFile probe(table);  // that it can be written, before hours of work
  begun.record = {.command = request.command,
                  .file = read_file(request.file),
                  .runs = static_cast<std::int64_t>(begun.plan.size())};
  return begun;
}

}  // namespace

SweepOutcome run_sweep(const SweepRequest& request, const RunContext& context) {
  SweepOutcome out{.journal = request.folder + "/journal.jsonl", .table = request.folder + "/results.csv"};
  Begun begun = at_root(context, [&] { return begin(request, out.table); });
  Executed done = execute(begun.plan,
                          {.journal = out.journal,
                           .jobs = request.jobs,
                           .bad_point = BadPoint::is_a_result,
                           .announce = true,
                           .retry_failed = request.retry_failed,
                           .without_undone = true,
                           .named =
                               [&](const std::vector<std::string>& names) {
                                 begun.record.names = names;
                                 write_sweep_record(begun.record, request.folder);
                               }},
                          context);
  out.completion = done.completion;
  if (!context.is_root()) return out;

  out.runs = static_cast<std::int64_t>(begun.plan.size());
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
