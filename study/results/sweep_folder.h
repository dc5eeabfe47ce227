#pragma once
#include <string>
#include <vector>

#include "study/sweep/execute.h"

namespace hardhead::study {

/// A sweep that is kept in a folder.
struct SweepRequest {
  std::string file;                     ///< TOML (sweep.h)
  std::string folder;                   ///< made if it is not there
  std::string command;                  ///< by which it was started, and by which it goes on
  int jobs = 1;                         ///< runs at the same time
  bool retry_failed = false;            ///< ExecuteOptions::retry_failed
  std::optional<Part> part{};           ///< of the runs, in a folder of its own: folder/part-I-of-N
  bool without_undone = false;          ///< ExecuteOptions::without_undone
  std::vector<learner::Learner> own{};  ///< learners that the file may name besides the library's
};

/// What became of it, on the root rank of a job; the other ranks have nothing.
struct SweepOutcome {
  std::vector<RunResult> results{};              ///< of the runs that are done, in the plan's order
  std::int64_t runs = 0;                         ///< in the plan, or in this part of it
  std::int64_t from_journal = 0;                 ///< done before
  std::int64_t unclaimed = 0;                    ///< Executed::unclaimed
  Completion completion = Completion::complete;  ///< on this rank
  std::string journal{}, table{};                ///< files of the folder
  std::vector<UndoneRun> undone{};               ///< runs that the machine ended
};

/// Carries out a sweep and writes
///
///     folder/sweep.json      what was asked for (sweep_record.h)
///     folder/journal.jsonl   the runs: a sweep that was stopped goes on from them
///     folder/results.csv     runs_table()
///
/// Of a part these files are in folder/part-I-of-N. A sweep without parts takes the runs that the journals of
/// parts in its folder have into its own before it begins: so it does what is left, and has the results of
/// all.
///
/// A run that is refused is a result. Throws InputError as read_sweep(), for a folder that cannot be written
/// to, and for one in which another process works.
SweepOutcome run_sweep(const SweepRequest& request, const RunContext& context);

}  // namespace hardhead::study
