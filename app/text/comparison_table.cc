#include "app/text/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/output.h"
#include "app/text/degree_shade.h"
#include "base/statistics/median.h"

namespace hardhead::app {
namespace {

std::string ending(const study::ComparisonRow& row) {
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

/// Value queries in the median, "-" of a learner by examples.
std::string queries(const study::ComparisonRow& row) {
  std::vector<double> asked;
  for (const study::RunResult& run : row.runs)
    if (run.report.queries_used) asked.push_back(static_cast<double>(*run.report.queries_used));
  return asked.empty() ? "-" : fmt::format("{}", statistics::median(asked));
}

}  // namespace

std::string comparison_table(const study::Comparison& comparison, const std::vector<std::string>& measures) {
  std::vector<std::vector<std::string>> rows = {{"instance", "learner", "degree", "recovered: 95%"}};
  const bool with_learnt = std::ranges::any_of(
      comparison.rows, [](const study::ComparisonRow& row) { return row.degrees.learnt > 0; });
  if (with_learnt) rows[0].emplace_back("learnt: 95%");
  const bool with_queries = std::ranges::any_of(comparison.rows, asks_values);
  if (with_queries) rows[0].insert(rows[0].end(), {"access", "queries"});
  for (const char* column : {"m right", "test error", "null error", "advantage", "seconds", "failed"})
    rows[0].emplace_back(column);
  const bool with_causes = std::ranges::any_of(
      comparison.rows, [](const study::ComparisonRow& row) { return !row.likely_causes.empty(); });
  if (with_causes) rows[0].emplace_back("likely cause");
  rows[0].insert(rows[0].end(), measures.begin(), measures.end());
  for (const study::ComparisonRow& row : comparison.rows) {
    rows.push_back({row.source, row.method, degrees(row.degrees), share(row.recovery_rate)});
    std::vector<std::string>& cells = rows.back();
    if (with_learnt) cells.push_back(share(row.learnt_rate));
    if (with_queries) cells.insert(cells.end(), {asks_values(row) ? "values" : "examples", queries(row)});
    for (const std::string& cell :
         {heads_right(row), brief(row.test_error_median), brief(row.null_error_median), advantage(row),
          row.runs.empty() ? std::string("-") : fmt::format("{:.2f}", row.seconds_median), ending(row)})
      cells.push_back(cell);
    if (with_causes) cells.push_back(causes(row));
    for (const std::string& measure : measures) cells.push_back(measured(row, measure));
  }
  return table(rows, 2);
}

}  // namespace hardhead::app
