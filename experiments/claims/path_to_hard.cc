#include <fmt/format.h>

#include "experiments/claims/experiment.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"

namespace hardhead::experiments {
namespace {

Evidence perform_path_to_hard(const Setting& setting, const RunContext& context) {
  const std::vector<std::string> points =
      setting.quick
          ? std::vector<std::string>{"0", "0.25", "0.5", "0.75", "1"}
          : std::vector<std::string>{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"};
  const std::vector<int> heads = setting.quick ? std::vector<int>{6} : std::vector<int>{2, 6};
  Evidence out;
  std::vector<study::ComparisonRow> all;
  report::Verdict learnt = report::Verdict::holds, lost = report::Verdict::holds;
  // The criterion is on the ends: there, as many seeds as can meet it.
  std::vector<std::int64_t> seeds(points.size(), setting.quick ? 3 : 10);
  if (!setting.quick) seeds.front() = seeds.back() = seeds_for_ninety_percent;
  for (const int m : heads) {
    study::ComparisonPlan plan{
        .sources = {},
        .methods = {Spec::parse("sculpt:budget=300000"), Spec::parse("gauss-newton"), Spec::parse("adam")}};
    for (const std::string& t : points)
      plan.sources.push_back(fmt::format("path:d=12,m={},variant=minimal,t={}", m, t));
    plan.run.task.heads = m;
    plan.run.recovery = 1e-3;
    const std::vector<study::ComparisonRow> rows = compared(plan, seeds, setting, context);
    report::Figure rates{fmt::format("success_m{}", m),
                         fmt::format("From a nice layer to parity, {} heads (d = 12)", m),
                         {"t (0: nice, 1: parity)", false, 0, 1},
                         {"share recovered (test error <= 1e-3)", false, 0, 1},
                         {}};
    report::Figure errors{fmt::format("error_m{}", m),
                          fmt::format("Test error along the path, {} heads", m),
                          {"t (0: nice, 1: parity)", false, 0, 1},
                          {"test error (relative, median)", true},
                          {}};
    report::FigureCurve null{"null predictor", {}, report::FigureCurve::Style::line};
    for (std::size_t method = 0; method < plan.methods.size(); ++method) {
      const std::string label = plan.methods[method].str();
      report::FigureCurve rate{label, {}}, error{label, {}};
      for (std::size_t i = 0; i < points.size(); ++i) {
        const study::ComparisonRow& row = rows[i * plan.methods.size() + method];
        const double t = std::stod(points[i]);
        rate.points.push_back(study::recovered_point(t, row));
        error.points.push_back({t, row.test_error_median});
        if (method == 0) null.points.push_back({t, row.null_error_median});
      }
      const study::ComparisonRow &start = rows[method],
                                 &end = rows[(points.size() - 1) * plan.methods.size() + method];
      learnt = report::all_of({learnt, report::at_least(start.recovery_rate, 0.9)});
      if (m == heads.back()) lost = report::all_of({lost, report::at_most(end.recovery_rate, 0.1)});
      out.reason += fmt::format("{}{}, {} heads: {} at t = 0, {} at t = 1", out.reason.empty() ? "" : "; ",
                                label, m, start.degrees.str(), end.degrees.str());
      rates.curves.push_back(std::move(rate));
      errors.curves.push_back(std::move(error));
    }
    errors.curves.push_back(std::move(null));
    out.figures.push_back(std::move(rates));
    out.figures.push_back(std::move(errors));
    all.insert(all.end(), rows.begin(), rows.end());
  }
  out.table = study::rows_table(all);
  out.verdict = report::all_of({learnt, lost});
  return out;
}

}  // namespace

Experiment claims::path_to_hard() {
  return {
      .id = "R9",
      .title = "From nice to hard: where each learner breaks",
      .claim =
          "Learning is possible under niceness and hard without: along a line in (Theta, W) from a nice "
          "layer to a parity layer of as many heads learners go from "
          "success to failure.",
      .source = "Both bounds of Chen and Li, arXiv 2402.04084, taken together; the path is this project's",
      .method =
          "path:d=12,variant=minimal at t from 0 (nice) to 1 (parity), heads told, recovered means a test "
          "error of at most 1e-3. Two and six heads, 11 "
          "points; 36 seeds at the ends, the fewest that can decide, and 10 between; quick: six heads, 5 "
          "points, "
          "3 seeds.",
      .criterion =
          "Every learner recovers at least 90% at t = 0, and at six heads at most 10% at t = 1, by the exact "
          "95% intervals of the shares.",
      .quick_seconds = 110,
      .full_seconds = 3600,
      .perform = perform_path_to_hard};
}

}  // namespace hardhead::experiments
