#include "study/results/comparison_folder.h"

#include "base/files/atomic_file.h"
#include "base/files/output_folder.h"
#include "study/report/table.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"

namespace hardhead::study {
namespace {

void write_table(const std::string& path, const report::Table& table) {
  AtomicFile file(path);
  file.stream() << report::csv(table);
  file.commit();
}

}  // namespace

void write_comparison(const std::vector<ComparisonRow>& rows, const std::string& folder,
                      const report::FigureStyle& style) {
  std::vector<ComparisonRow> done;  // an interrupted comparison has rows without runs
  std::vector<RunResult> runs;
  for (const ComparisonRow& row : rows) {
    if (row.runs.empty()) continue;
    done.push_back(row);
    runs.insert(runs.end(), row.runs.begin(), row.runs.end());
  }
  write_table(folder + "/results.csv", runs_table(runs));
  write_table(folder + "/rows.csv", rows_table(done));
  if (done.empty()) return;
  std::vector<report::Figure> figures = sweep_figures(done);
  if (figures.empty()) figures = instance_figures(done);
  make_output_folder(folder + "/figures");
  for (const report::Figure& figure : figures) draw(figure, folder + "/figures", style);
}

}  // namespace hardhead::study
