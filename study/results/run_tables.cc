#include "study/results/run_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace hardhead::study {
namespace {

/// A column of a table: its title, and its cell in a row.
template <class Row>
struct Column {
  const char* title;
  std::string (*cell)(const Row& row);
};

template <class Row>
report::Table table_of(const std::vector<Column<Row>>& columns, const std::vector<Row>& rows) {
  report::Table table;
  for (const Column<Row>& column : columns) table.columns.emplace_back(column.title);
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const Column<Row>& column : columns) cells.push_back(column.cell(row));
    table.add(std::move(cells));
  }
  return table;
}

std::string integer(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string cell_of(const auto& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string brief(double value) {
  return std::isfinite(value) ? fmt::format("{:.3g}", value) : "";
}

std::string share_of(std::int64_t runs, const ComparisonRow& row) {
  return brief(static_cast<double>(runs) / static_cast<double>(row.degrees.total()));
}

std::string failures(const ComparisonRow& row) {
  std::string out;
  for (const auto& [phase, times] : row.failed_phases)
    out += fmt::format("{}{} in {}", out.empty() ? "" : ", ", times, phase);
  return out;
}

std::string spec_or_source(const ProblemSummary& problem) {
  return problem.spec.empty() ? problem.source : problem.spec;
}

statistics::Interval ends(const std::optional<statistics::Interval>& interval) {
  return interval.value_or(statistics::Interval{NAN, NAN});
}

}  // namespace

report::Table runs_table(const std::vector<RunResult>& results) {
  using R = RunResult;
  return table_of<R>(
      {
          {"source", [](const R& r) { return r.problem.source; }},
          {"spec", [](const R& r) { return r.problem.spec; }},
          {"method", [](const R& r) { return r.request.method.str(); }},
          {"d", [](const R& r) { return integer(r.problem.d); }},
          {"k", [](const R& r) { return integer(r.problem.k); }},
          {"m", [](const R& r) { return cell_of(r.problem.m); }},
          {"inputs", [](const R& r) { return name_of(r.problem.inputs); }},
          {"seed", [](const R& r) { return fmt::format("{}", r.request.task.seed); }},
          {"outcome", [](const R& r) { return name_of(r.score.outcome); }},
          {"degree", [](const R& r) { return r.score.degree ? name_of(*r.score.degree) : ""; }},
          {"failed_phase", [](const R& r) { return r.report.failed_phase; }},
          {"likely_cause",
           [](const R& r) { return r.score.likely_cause ? r.score.likely_cause->str() : ""; }},
          {"heads_told", [](const R& r) { return cell_of(r.request.task.heads); }},
          {"heads_found", [](const R& r) { return cell_of(r.score.heads_found); }},
          {"examples_allowed", [](const R& r) { return cell_of(r.request.task.examples); }},
          {"examples_used", [](const R& r) { return integer(r.report.examples_used); }},
          {"access",
           [](const R& r) { return std::string(r.request.method.asks_values() ? "values" : "examples"); }},
          {"told", [](const R& r) { return name_of(r.request.method.told()); }},
          {"queries_used", [](const R& r) { return cell_of(r.report.queries_used); }},
          {"test_error", [](const R& r) { return exact(r.score.test_error); }},
          {"null_error", [](const R& r) { return exact(r.problem.null_error); }},
          {"ceiling_error", [](const R& r) { return exact(r.problem.ceiling_error); }},
          {"advantage", [](const R& r) { return exact(r.score.advantage); }},
          {"advantage_low", [](const R& r) { return exact(ends(r.score.advantage_interval).low); }},
          {"advantage_high", [](const R& r) { return exact(ends(r.score.advantage_interval).high); }},
          {"seconds", [](const R& r) { return exact(r.report.seconds); }},
          {"version", [](const R& r) { return r.version; }},
          {"message", [](const R& r) { return r.report.message; }},
      },
      results);
}

report::Table rows_table(const std::vector<ComparisonRow>& rows) {
  using C = ComparisonRow;
  return table_of<C>(
      {
          {"source", [](const C& c) { return c.source; }},
          {"method", [](const C& c) { return c.runs.front().request.method.str(); }},
          {"told", [](const C& c) { return name_of(c.runs.front().request.method.told()); }},
          {"heads told", [](const C& c) { return cell_of(c.runs.front().request.task.heads); }},
          {"examples allowed", [](const C& c) { return cell_of(c.runs.front().request.task.examples); }},
          {"degrees", [](const C& c) { return c.degrees.str(); }},
          {"runs", [](const C& c) { return integer(std::ssize(c.runs)); }},
          {"recovered", [](const C& c) { return integer(c.degrees.recovered); }},
          {"share", [](const C& c) { return share_of(c.degrees.recovered, c); }},
          {"95% low", [](const C& c) { return brief(c.recovery_rate.low); }},
          {"95% high", [](const C& c) { return brief(c.recovery_rate.high); }},
          {"learnt or recovered", [](const C& c) { return integer(c.degrees.at_least_learnt()); }},
          {"share of that", [](const C& c) { return share_of(c.degrees.at_least_learnt(), c); }},
          {"95% low of that", [](const C& c) { return brief(c.learnt_rate.low); }},
          {"95% high of that", [](const C& c) { return brief(c.learnt_rate.high); }},
          {"test error (median)", [](const C& c) { return brief(c.test_error_median); }},
          {"null error (median)", [](const C& c) { return brief(c.null_error_median); }},
          {"advantage (median)", [](const C& c) { return brief(c.advantage_median); }},
          {"advantage: low", [](const C& c) { return brief(ends(c.advantage_interval).low); }},
          {"advantage: high", [](const C& c) { return brief(ends(c.advantage_interval).high); }},
          {"seconds (median)", [](const C& c) { return brief(c.seconds_median); }},
          {"failed in", failures},
          {"spec of the first run", [](const C& c) { return spec_or_source(c.runs.front().problem); }},
      },
      rows);
}

}  // namespace hardhead::study
