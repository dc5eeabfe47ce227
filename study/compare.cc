#include "study/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "study/journal.h"
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

/// Fills the rows. Throws Stopped when `control` says so; the run that was cut short is left out.
void run_all(const ComparisonPlan& plan, const std::vector<Series>& series, const RunControl& control,
             Comparison& comparison) {
  std::optional<Journal> journal;
  if (plan.journal) journal.emplace(*plan.journal);
  const std::size_t methods = plan.methods.size();
  const std::size_t total = comparison.rows.size() * static_cast<std::size_t>(plan.seeds);
  std::size_t done = 0;
  RunControl inner = control;
  inner.set_progress({});
  for (std::size_t s = 0; s < series.size(); ++s)
    for (std::int64_t i = 0; i < plan.seeds; ++i) {
      const std::string source = series[s].member(i);
      ProblemOptions problem_options = plan.problem;
      problem_options.seed += static_cast<std::uint64_t>(i);
      const std::string digest = journal ? source_digest(open_source(source), inner) : "";
      std::optional<Problem> problem;
      for (std::size_t j = 0; j < methods; ++j) {
        RunOptions options = plan.run;
        options.method = plan.methods[j];
        options.seed += static_cast<std::uint64_t>(i);
        control.check();
        control.progress(fmt::format("run {} of {}: {}, {}", done + 1, total, source, options.method.str()),
                         static_cast<double>(done) / static_cast<double>(total));
        const std::string name = journal ? run_digest(digest, problem_options, options) : "";
        std::optional<RunResult> result;
        if (journal) result = journal->find(name);
        if (!result) {
          if (!problem) problem = open_problem(source, problem_options, inner);
          result = run(*problem, options, inner);
          control.check();
          result->layer.reset();
          if (journal) journal->append(name, *result);
        }
        comparison.rows[s * methods + j].runs.push_back(std::move(*result));
        ++done;
      }
    }
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;
}

Comparison compare(const ComparisonPlan& plan, const RunControl& control) {
  std::vector<Series> series;
  for (const std::string& source : plan.sources) {
    series.emplace_back(source, plan.problem.seed);
    open_source(series.back().member(0));
  }
  for (const Spec& method : plan.methods) check_method(method);

  Comparison comparison;
  for (const Series& s : series)
    for (const Spec& method : plan.methods) {
      ComparisonRow& row = comparison.rows.emplace_back();
      row.source = s.label();
      row.method = method.str();
    }

  try {
    run_all(plan, series, control, comparison);
  } catch (const Stopped&) {
    comparison.interrupted = true;
  }
  for (ComparisonRow& row : comparison.rows) summarise(row);
  return comparison;
}

}  // namespace hardhead::study
