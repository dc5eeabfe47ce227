#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/report/json.h"

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
  visit("schema", [](const SweepRecord&) { return report::schema(report::Document::sweep); });
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

}  // namespace hardhead::study
