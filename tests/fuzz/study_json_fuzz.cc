// The files of a study: journal, verdicts.json, sweep.json, and its tables as CSV. Each reader gets the same
// bytes.
#include "base/error.h"
#include "study/report/finding.h"
#include "study/report/table.h"
#include "study/results/sweep_folder.h"
#include "study/sweep/journal.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {
namespace {

using namespace study;

void read_journal_of(const Folder& folder, std::string_view bytes) {
  const auto runs = read_journal(folder.write("journal", bytes));
  folder.write("again", "");
  {
    Journal journal(folder.path("again"));
    for (std::size_t i = 0; i < runs.size(); ++i) journal.append(std::to_string(i), runs[i].result);
  }
  const auto again = read_journal(folder.path("again"));
  require(again.size() == runs.size(), "a journal has as many runs as it had");
  for (std::size_t i = 0; i < runs.size(); ++i)
    require(json_text(again[i].result) == json_text(runs[i].result), "a run comes back as it was");
}

void read_verdicts_of(const Folder& folder, std::string_view bytes) {
  for (const char* name : {"a.svg", "a.pdf", "a.csv"}) folder.write(name, "");  // what findings may name
  folder.write("verdicts.json", bytes);
  const auto findings = report::read_verdicts(folder.path());
  report::write_verdicts(findings, folder.path());
  require(report::read_verdicts(folder.path()).size() == findings.size(), "findings come back");
}

void read_sweep_record_of(const Folder& folder, std::string_view bytes) {
  folder.write("sweep.json", bytes);
  const auto record = read_sweep_record(folder.path());
  write_sweep_record(*record, folder.path());
  const auto again = read_sweep_record(folder.path());
  require(again->command == record->command && again->file == record->file && again->runs == record->runs,
          "a sweep's record comes back as it was");
}

void read_table(const Folder&, std::string_view bytes) {
  const report::Table table = report::parse_csv(std::string(bytes), "table");
  const report::Table again = report::parse_csv(csv(table), "again");
  require(again.columns == table.columns && again.rows == table.rows, "a table comes back as it was");
}

}  // namespace

void read(std::string_view bytes) {
  static const Folder folder;
  for (const auto& reader : {read_journal_of, read_verdicts_of, read_sweep_record_of, read_table}) try {
      reader(folder, bytes);
    } catch (const Error&) {
    }
}

}  // namespace hardhead::fuzz
