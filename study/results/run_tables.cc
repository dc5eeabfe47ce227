#include "study/results/run_tables.h"

#include <fmt/format.h>

#include <cmath>

namespace hardhead::study {
namespace {

std::string cell_of(const auto& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string brief(double value) {
  return std::isfinite(value) ? fmt::format("{:.3g}", value) : "";
}

}  // namespace

report::Table runs_table(const std::vector<RunResult>& results) {
  report::Table table{{"source",
                       "spec",
                       "method",
                       "d",
                       "k",
                       "m",
                       "inputs",
                       "seed",
                       "outcome",
                       "degree",
                       "failed_phase",
                       "likely_cause",
                       "heads_told",
                       "heads_found",
                       "examples_allowed",
                       "examples_used",
                       "access",
                       "told",
                       "queries_used",
                       "test_error",
                       "null_error",
                       "ceiling_error",
                       "advantage",
                       "advantage_low",
                       "advantage_high",
                       "seconds",
                       "version",
                       "message"},
                      {}};
  const auto integer = [](std::int64_t value) { return fmt::format("{}", value); };
  for (const RunResult& r : results)
    table.add({r.problem.source,
               r.problem.spec,
               r.request.method.str(),
               integer(r.problem.d),
               integer(r.problem.k),
               cell_of(r.problem.m),
               attention::to_string(r.problem.inputs),
               fmt::format("{}", r.request.task.seed),
               to_string(r.score.outcome),
               r.score.degree ? name_of(*r.score.degree) : "",
               r.report.failed_phase,
               r.score.likely_cause ? r.score.likely_cause->str() : "",
               cell_of(r.request.task.heads),
               cell_of(r.score.heads_found),
               cell_of(r.request.task.examples),
               integer(r.report.examples_used),
               r.request.method.asks_values() ? "values" : "examples",
               std::string(name_of(r.request.method.told())),
               cell_of(r.report.queries_used),
               exact(r.score.test_error),
               exact(r.problem.null_error),
               exact(r.problem.ceiling_error),
               exact(r.score.advantage),
               r.score.advantage_interval ? exact(r.score.advantage_interval->low) : "",
               r.score.advantage_interval ? exact(r.score.advantage_interval->high) : "",
               exact(r.report.seconds),
               r.version,
               r.report.message});
  return table;
}

report::Table rows_table(const std::vector<ComparisonRow>& rows) {
  report::Table table{{"source",
                       "method",
                       "told",
                       "heads told",
                       "examples allowed",
                       "degrees",
                       "runs",
                       "recovered",
                       "share",
                       "95% low",
                       "95% high",
                       "learnt or recovered",
                       "share of that",
                       "95% low of that",
                       "95% high of that",
                       "test error (median)",
                       "null error (median)",
                       "advantage (median)",
                       "advantage: low",
                       "advantage: high",
                       "seconds (median)",
                       "failed in",
                       "spec of the first run"},
                      {}};
  for (const ComparisonRow& row : rows) {
    const RunResult& run = row.runs.front();
    const auto share = [&](std::int64_t runs) {
      return brief(static_cast<double>(runs) / static_cast<double>(row.degrees.total()));
    };
    std::string failed;
    for (const auto& [phase, times] : row.failed_phases)
      failed += fmt::format("{}{} in {}", failed.empty() ? "" : ", ", times, phase);
    table.add({row.source,
               run.request.method.str(),
               std::string(name_of(run.request.method.told())),
               cell_of(run.request.task.heads),
               cell_of(run.request.task.examples),
               row.degrees.str(),
               fmt::format("{}", row.runs.size()),
               fmt::format("{}", row.degrees.recovered),
               share(row.degrees.recovered),
               brief(row.recovery_rate.low),
               brief(row.recovery_rate.high),
               fmt::format("{}", row.degrees.at_least_learnt()),
               share(row.degrees.at_least_learnt()),
               brief(row.learnt_rate.low),
               brief(row.learnt_rate.high),
               brief(row.test_error_median),
               brief(row.null_error_median),
               brief(row.advantage_median),
               row.advantage_interval ? brief(row.advantage_interval->low) : "",
               row.advantage_interval ? brief(row.advantage_interval->high) : "",
               brief(row.seconds_median),
               failed,
               run.problem.spec.empty() ? run.problem.source : run.problem.spec});
  }
  return table;
}

}  // namespace hardhead::study
