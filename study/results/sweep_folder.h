#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/figure/figure.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

/// What a sweep was asked for, kept in DIR/sweep.json beside its journal for readers of the folder.
struct SweepRecord {
  std::string command;    ///< by which it was started, and by which it goes on
  std::string file;       ///< the text of the TOML file
  std::int64_t runs = 0;  ///< in its plan
  /// The names of these runs in the journal (journal.h), in the plan's order; none in folders of before there
  /// was such a list.
  std::vector<std::string> names{};
};

/// The file sweep.json.
template <class Visit>
void describe(Visit& visit, const SweepRecord*) {
  visit("schema", [](const SweepRecord&) { return report::schema("sweep"); });
  visit("command", &SweepRecord::command);
  visit("runs", &SweepRecord::runs);
  visit("file", &SweepRecord::file);
  visit.later("names", &SweepRecord::names);
}

/// Throws InputError if it cannot be written.
void write_sweep_record(const SweepRecord& record, const std::string& folder);

/// The record of a folder; empty where it has none. Throws InputError for a file that is not one, naming the
/// key.
std::optional<SweepRecord> read_sweep_record(const std::string& folder);

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
struct SweepOutcome : Execution {
  std::vector<RunResult> results{};  ///< of the runs that are done, in the plan's order
  std::string journal{}, table{};    ///< files of the folder
};

/// Carries out a sweep and writes
///
///     folder/sweep.json      what was asked for (SweepRecord)
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

/// Writes the rows of a comparison into a folder:
///
///     folder/results.csv   a row for each run (runs_table)
///     folder/rows.csv      a row for each instance and learner (rows_table)
///     folder/figures/      sweep_figures(), or, where no number varies, instance_figures()
///
/// Throws InputError for a folder that cannot be written to, and as draw().
void write_comparison(const std::vector<ComparisonRow>& rows, const std::string& folder,
                      const report::FigureStyle& style);

}  // namespace hardhead::study
