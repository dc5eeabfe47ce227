#include "app/text/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/output.h"
#include "app/terminal/terminal.h"
#include "app/text/degree_shade.h"
#include "base/statistics/median.h"

namespace hardhead::app {
namespace {

std::string failed_phases(const study::ComparisonRow& row) {
  std::string out;
  for (const auto& [phase, count] : row.failed_phases)
    out += fmt::format("{}{} in {}", out.empty() ? "" : ", ", count, phase);
  if (row.stopped > 0) out += fmt::format("{}{} stopped", out.empty() ? "" : ", ", row.stopped);
  return out.empty() ? "-" : out;
}

/// "3 theta_norm, 1 w_norm_ratio".
std::string causes(const study::ComparisonRow& row) {
  std::string out;
  for (const auto& [condition, count] : row.likely_causes)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, condition);
  return out.empty() ? "-" : out;
}

/// The degrees that runs reached, in the colour of what they say together.
std::string degrees(const study::DegreeCounts& counts) {
  return counts.total() == 0 ? counts.str() : painted(shade_of(counts), counts.str());
}

/// Runs that found the number of heads; empty where they were told it.
std::string heads_right(const study::ComparisonRow& row) {
  const bool told = !row.runs.empty() && std::ranges::all_of(row.runs, [](const study::RunResult& run) {
    return run.request.task.heads.has_value();
  });
  return told ? "" : fmt::format("{}", row.heads_right);
}

std::string share(const statistics::Interval& rate) {
  return fmt::format("{:.2f} .. {:.2f}", rate.low, rate.high);
}

/// "0.5 (0.4 .. 0.6)": the median advantage and its interval.
std::string advantage(const study::ComparisonRow& row) {
  if (!row.advantage_interval) return brief(row.advantage_median);
  return fmt::format("{} ({} .. {})", brief(row.advantage_median), brief(row.advantage_interval->low),
                     brief(row.advantage_interval->high));
}

/// "median (largest)" of measure PHASE.NAME over the runs that have it.
std::string measured(const study::ComparisonRow& row, const std::string& measure) {
  const std::size_t dot = measure.find('.');
  std::vector<double> values;
  for (const study::RunResult& run : row.runs)
    for (const learner::Phase& phase : run.report.phases)
      for (const auto& [name, value] : phase.measures)
        if (phase.name == measure.substr(0, dot) && name == measure.substr(dot + 1)) values.push_back(value);
  if (values.empty()) return "-";
  const double largest = *std::max_element(values.begin(), values.end());
  return fmt::format("{} ({})", brief(statistics::median(values)), brief(largest));
}

bool asks_values(const study::ComparisonRow& row) {
  return std::ranges::any_of(row.runs,
                             [](const study::RunResult& run) { return run.request.method.asks_values(); });
}

/// What the learner knows besides sizes and what it asks.
learner::Told told(const study::ComparisonRow& row) {
  return row.runs.empty() ? learner::Told::nothing : row.runs.front().request.method.told();
}

/// Value queries in the median, "-" of a learner by examples.
std::string queries(const study::ComparisonRow& row) {
  std::vector<double> asked;
  for (const study::RunResult& run : row.runs)
    if (run.report.queries_used) asked.push_back(static_cast<double>(*run.report.queries_used));
  return asked.empty() ? "-" : fmt::format("{}", statistics::median(asked));
}

/// A column of the table: its title, and what it says of a row.
struct Column {
  std::string title;
  std::function<std::string(const study::ComparisonRow& row)> cell;
};

std::string seconds(const study::ComparisonRow& row) {
  return row.runs.empty() ? "-" : fmt::format("{:.2f}", row.seconds_median);
}

std::vector<Column> shown_columns(const study::Comparison& comparison, const ShownColumns& shown) {
  using Row = study::ComparisonRow;
  const auto any = [&](const auto& has) { return std::ranges::any_of(comparison.rows, has); };
  const bool wide = shown.wide;
  std::vector<Column> out;
  const auto add = [&](bool wanted, const char* title, std::function<std::string(const Row&)> cell) {
    if (wanted) out.push_back({title, std::move(cell)});
  };
  add(true, "instance", &Row::source);
  add(true, "learner", &Row::method);
  add(true, "degree", [](const Row& row) { return degrees(row.degrees); });
  add(any([](const Row& row) { return told(row) != learner::Told::nothing; }), "told",
      [](const Row& row) { return std::string(name_of(told(row))); });
  add(wide, "recovered: 95%", [](const Row& row) { return share(row.recovery_rate); });
  add(wide && any([](const Row& row) { return row.degrees.learnt > 0; }), "learnt: 95%",
      [](const Row& row) { return share(row.learnt_rate); });
  add(wide && any(asks_values), "access",
      [](const Row& row) { return asks_values(row) ? "values" : "examples"; });
  add(any(asks_values), "queries", queries);
  add(wide, "m right", heads_right);
  add(true, "test error", [](const Row& row) { return brief(row.test_error_median); });
  add(wide, "null error", [](const Row& row) { return brief(row.null_error_median); });
  add(true, "advantage", advantage);
  add(true, "seconds", seconds);
  // What gave nothing says why somewhere.
  const auto silent = [](const Row& row) {
    return row.degrees.nothing > 0 && !row.failed_phases.empty() && row.likely_causes.empty();
  };
  add(wide || any(silent), "failed", failed_phases);
  add(any([](const Row& row) { return !row.likely_causes.empty(); }), "likely cause", causes);
  for (const std::string& measure : shown.measures)
    add(true, measure.c_str(), [measure](const Row& row) { return measured(row, measure); });
  return out;
}

/// Titles, and a row of cells for each row of the comparison.
Rows cells_of(const study::Comparison& comparison, const std::vector<Column>& columns) {
  Rows rows(1);
  for (const Column& column : columns) rows[0].push_back(column.title);
  for (const study::ComparisonRow& row : comparison.rows) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (const Column& column : columns) cells.push_back(column.cell(row));
  }
  return rows;
}

/// The same with a line for each instance, and its learners set in below it: narrower.
Rows by_instance(const Rows& rows) {
  Rows out;
  std::string instance;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> row(rows[r].begin() + 1, rows[r].end());
    row[0] = (r == 0 ? "instance, " : "  ") + row[0];
    if (r > 0 && (r == 1 || rows[r][0] != instance)) {
      instance = rows[r][0];
      out.emplace_back(row.size()).front() = instance;
    }
    out.push_back(std::move(row));
  }
  return out;
}

/// Lines that can be compared on a terminal of `room` columns: learners below their instances, at last
/// without the interval of the advantage and without likely causes; empty where that does not do.
Rows narrow_rows(const study::Comparison& comparison, std::vector<Column> columns, std::size_t room) {
  auto rows = by_instance(cells_of(comparison, columns));
  if (table_columns(rows) <= room) return rows;
  for (Column& column : columns)
    if (column.title == "advantage")
      column.cell = [](const study::ComparisonRow& row) { return brief(row.advantage_median); };
  rows = by_instance(cells_of(comparison, columns));
  if (table_columns(rows) <= room) return rows;
  std::erase_if(columns, [](const Column& column) { return column.title == "likely cause"; });
  rows = by_instance(cells_of(comparison, columns));
  if (table_columns(rows) > room) rows.clear();
  return rows;
}

}  // namespace

std::string comparison_table(const study::Comparison& comparison, const ShownColumns& shown) {
  const std::vector<Column> columns = shown_columns(comparison, shown);
  const auto rows = cells_of(comparison, columns);
  const auto room = app::columns();
  if (!shown.wide && room && table_columns(rows) > *room)
    if (const auto narrow = narrow_rows(comparison, columns, *room); !narrow.empty()) return table(narrow);
  return table(rows, 2);
}

}  // namespace hardhead::app
