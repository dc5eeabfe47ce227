#include "study/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "study/named_source.h"
#include "study/series.h"

namespace hardhead::study {
namespace {

template <class Field>
std::vector<double> column(const ComparisonRow& row, const Field& field) {
  std::vector<double> values;
  for (const RunResult& run : row.runs) values.push_back(field(run));
  return values;
}

void summarise(ComparisonRow& row) {
  for (const RunResult& run : row.runs) {
    if (run.outcome == Outcome::recovered) ++row.recovered;
    if (run.outcome == Outcome::stopped) ++row.stopped;
    if (run.heads_found && run.heads_found == run.m) ++row.heads_right;
    if (!run.failed_phase.empty()) ++row.failed_phases[run.failed_phase];
    if (!run.likely_cause.empty())
      ++row.likely_causes[run.likely_cause.substr(0, run.likely_cause.find(' '))];
  }
  row.recovery_rate = clopper_pearson(row.recovered, static_cast<std::int64_t>(row.runs.size()));
  row.test_error_median = median(column(row, [](const RunResult& r) { return r.test_error; }));
  row.null_error_median = median(column(row, [](const RunResult& r) { return r.null_error; }));
  row.seconds_median = median(column(row, [](const RunResult& r) { return r.seconds; }));
  const std::vector<double> advantages = column(row, [](const RunResult& r) { return r.advantage; });
  row.advantage_median = median(advantages);
  if (advantages.empty()) return;
  row.advantage_min = *std::min_element(advantages.begin(), advantages.end());
  row.advantage_max = *std::max_element(advantages.begin(), advantages.end());
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;
}

std::vector<ComparisonRow> rows_of(const std::vector<RunResult>& results) {
  std::vector<ComparisonRow> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const RunResult& run : results) {
    std::string method = run.method.str();
    if (run.heads_told) method += fmt::format(" --heads {}", *run.heads_told);
    if (run.examples_allowed) method += fmt::format(" --examples {}", *run.examples_allowed);
    const std::string source = Series(run.source, 1).label();
    const auto [at, is_new] = known.try_emplace({source, method}, rows.size());
    if (is_new) {
      ComparisonRow& row = rows.emplace_back();
      row.source = source;
      row.method = method;
    }
    rows[at->second].runs.push_back(run);
  }
  for (ComparisonRow& row : rows) summarise(row);
  return rows;
}

Comparison compare(const ComparisonPlan& plan, const RunControl& control) {
  std::vector<Series> series;
  for (const std::string& source : plan.sources)
    for (Series& one : series_of(source, plan.problem.seed)) series.push_back(std::move(one));
  for (const Series& s : series) open_source(s.member(0));
  for (const Spec& method : plan.methods) check_method(method);

  Comparison comparison;
  std::vector<PlannedRun> runs;
  std::vector<std::size_t> row_of;
  std::map<std::string, std::size_t> first_row;  // of a label
  for (const Series& s : series) {
    const auto [at, is_new] = first_row.try_emplace(s.label(), comparison.rows.size());
    const std::size_t first = at->second;
    for (std::size_t j = 0; is_new && j < plan.methods.size(); ++j) {
      ComparisonRow& row = comparison.rows.emplace_back();
      row.source = s.label();
      row.method = plan.methods[j].str();
    }
    for (std::int64_t i = 0; i < plan.seeds; ++i)
      for (std::size_t j = 0; j < plan.methods.size(); ++j) {
        PlannedRun& run = runs.emplace_back(PlannedRun{s.member(i), plan.problem, plan.run});
        run.problem.seed += static_cast<std::uint64_t>(i);
        run.run.seed += static_cast<std::uint64_t>(i);
        run.run.method = plan.methods[j];
        row_of.push_back(first + j);
      }
  }
  Executed done = execute(runs, plan.execution, control);
  comparison.interrupted = done.interrupted;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (done.results[i]) comparison.rows[row_of[i]].runs.push_back(std::move(*done.results[i]));
  for (ComparisonRow& row : comparison.rows) summarise(row);
  return comparison;
}

}  // namespace hardhead::study
