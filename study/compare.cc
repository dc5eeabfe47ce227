#include "study/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "hardness/family.h"
#include "study/named_source.h"

namespace hardhead::study {
namespace {

/// A source of which run i takes its own member.
class Series {
 public:
  Series(const std::string& source, std::uint64_t seed) : source_(source) {
    if (names_a_file(source)) return;
    spec_ = Spec::parse(source);
    const auto& table = hardness::find_family(spec_.name).parameters;
    seeded_ = std::any_of(table.begin(), table.end(), [](const Parameter& p) { return p.name == "seed"; });
    if (!seeded_) return;
    const Parameters parameters(spec_, table);
    first_ = parameters.was_given("seed") ? static_cast<std::uint64_t>(parameters.integer("seed")) : seed;
    std::erase_if(spec_.values, [](const auto& value) { return value.first == "seed"; });
    source_ = spec_.str();
  }

  const std::string& label() const { return source_; }

  std::string member(std::int64_t run) const {
    if (!seeded_) return source_;
    Spec spec = spec_;
    spec.values.emplace_back("seed", fmt::format("{}", first_ + static_cast<std::uint64_t>(run)));
    return spec.str();
  }

 private:
  std::string source_;
  Spec spec_;
  bool seeded_ = false;
  std::uint64_t first_ = 1;
};

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
  const std::size_t methods = plan.methods.size();
  const std::size_t total = comparison.rows.size() * static_cast<std::size_t>(plan.seeds);
  std::size_t done = 0;
  RunControl inner = control;
  inner.set_progress({});
  for (std::size_t s = 0; s < series.size(); ++s)
    for (std::int64_t i = 0; i < plan.seeds; ++i) {
      ProblemOptions problem_options = plan.problem;
      problem_options.seed += static_cast<std::uint64_t>(i);
      const Problem problem = open_problem(series[s].member(i), problem_options, inner);
      for (std::size_t j = 0; j < methods; ++j) {
        RunOptions options = plan.run;
        options.method = plan.methods[j];
        options.seed += static_cast<std::uint64_t>(i);
        control.progress(
            fmt::format("run {} of {}: {}, {}", done + 1, total, problem.source, options.method.str()),
            static_cast<double>(done) / static_cast<double>(total));
        RunResult result = run(problem, options, inner);
        control.check();
        result.layer.reset();
        comparison.rows[s * methods + j].runs.push_back(std::move(result));
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
