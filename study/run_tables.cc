#include "study/run_tables.h"

#include <fmt/format.h>

#include <cmath>

namespace hardhead::study {
namespace {

std::string count(const auto& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string brief(double value) {
  return std::isfinite(value) ? fmt::format("{:.3g}", value) : "";
}

}  // namespace

Table runs_table(const std::vector<RunResult>& results) {
  Table table{{"source",
               "spec",
               "method",
               "d",
               "k",
               "m",
               "inputs",
               "seed",
               "outcome",
               "failed_phase",
               "likely_cause",
               "heads_told",
               "heads_found",
               "examples_allowed",
               "examples_used",
               "test_error",
               "null_error",
               "advantage",
               "seconds",
               "version"},
              {}};
  const auto integer = [](std::int64_t value) { return fmt::format("{}", value); };
  for (const RunResult& r : results)
    table.add({r.source,
               r.spec,
               r.method.str(),
               integer(r.d),
               integer(r.k),
               count(r.m),
               attention::to_string(r.inputs),
               fmt::format("{}", r.seed),
               to_string(r.outcome),
               r.failed_phase,
               r.likely_cause,
               count(r.heads_told),
               count(r.heads_found),
               count(r.examples_allowed),
               integer(r.examples_used),
               exact(r.test_error),
               exact(r.null_error),
               exact(r.advantage),
               exact(r.seconds),
               r.version});
  return table;
}

Table rows_table(const std::vector<ComparisonRow>& rows) {
  Table table{{"source", "method", "heads told", "examples allowed", "runs", "recovered", "share", "95% low",
               "95% high", "test error (median)", "null error (median)", "advantage (median)",
               "seconds (median)", "failed in", "spec of the first run"},
              {}};
  for (const ComparisonRow& row : rows) {
    const RunResult& run = row.runs.front();
    std::string failed;
    for (const auto& [phase, times] : row.failed_phases)
      failed += fmt::format("{}{} in {}", failed.empty() ? "" : ", ", times, phase);
    table.add({row.source, run.method.str(), count(run.heads_told), count(run.examples_allowed),
               fmt::format("{}", row.runs.size()), fmt::format("{}", row.recovered),
               brief(static_cast<double>(row.recovered) / static_cast<double>(row.runs.size())),
               brief(row.recovery_rate.low), brief(row.recovery_rate.high), brief(row.test_error_median),
               brief(row.null_error_median), brief(row.advantage_median), brief(row.seconds_median), failed,
               run.spec.empty() ? run.source : run.spec});
  }
  return table;
}

}  // namespace hardhead::study
