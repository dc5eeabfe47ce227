#include "app/commands/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/output.h"
#include "statistics/median.h"

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

std::string spread(const study::ComparisonRow& row) {
  if (row.runs.size() < 2) return brief(row.advantage_median);
  return fmt::format("{} ({} .. {})", brief(row.advantage_median), brief(row.advantage_min),
                     brief(row.advantage_max));
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

}  // namespace

std::string comparison_table(const study::Comparison& comparison, const std::vector<std::string>& measures) {
  std::vector<std::vector<std::string>> rows = {{"instance", "learner", "recovered", "95% interval",
                                                 "m right", "test error", "null error", "advantage",
                                                 "seconds", "failed"}};
  const bool with_causes = std::ranges::any_of(
      comparison.rows, [](const study::ComparisonRow& row) { return !row.likely_causes.empty(); });
  if (with_causes) rows[0].emplace_back("likely cause");
  rows[0].insert(rows[0].end(), measures.begin(), measures.end());
  for (const study::ComparisonRow& row : comparison.rows) {
    rows.push_back({row.source, row.method, fmt::format("{} of {}", row.recovered, row.runs.size()),
                    fmt::format("{:.2f} .. {:.2f}", row.recovery_rate.low, row.recovery_rate.high),
                    fmt::format("{}", row.heads_right), brief(row.test_error_median),
                    brief(row.null_error_median), spread(row),
                    row.runs.empty() ? "-" : fmt::format("{:.2f}", row.seconds_median), ending(row)});
    if (with_causes) rows.back().push_back(causes(row));
    for (const std::string& measure : measures) rows.back().push_back(measured(row, measure));
  }
  return table(rows);
}

}  // namespace hardhead::app
