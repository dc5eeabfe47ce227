#include <fmt/format.h>

#include "experiments/claims/registered_claims.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"

namespace hardhead::experiments {
namespace {

Evidence perform_structured_patterns(const Setting& setting, const RunContext& context) {
  study::Plan plan{.sources = {"diagonal", "block-diagonal", "low-rank"},
                   .learners = {Spec::parse("sculpt"), Spec::parse("gauss-newton")},
                   .seeds = setting.quick ? 3 : seeds_for_ninety_percent};
  if (!setting.quick)
    for (const char* method : {"paper", "adam", "lbfgs"}) plan.learners.push_back(Spec::parse(method));
  plan.run.task.heads = 2;
  const std::vector<study::ComparisonRow> rows = compared(plan, setting, whole_experiment("R11", context));
  report::Figure figure{"success",
                        "Structured attention patterns (d = 16, k = 3, m = 2)",
                        {"attention pattern", false, {}, {}, {"diagonal", "block-diagonal", "low-rank"}},
                        {"share recovered", false, 0, 1}};
  Evidence out;
  out.verdict = report::Verdict::holds;
  for (std::size_t method = 0; method < plan.learners.size(); ++method) {
    report::FigureCurve curve{plan.learners[method].str(), {}, report::FigureCurve::Style::points};
    for (std::size_t i = 0; i < plan.sources.size(); ++i) {
      const study::ComparisonRow& row = rows[i * plan.learners.size() + method];
      curve.points.push_back(study::recovered_point(static_cast<double>(i), row));
      out.verdict = report::all_of({out.verdict, report::at_least(row.recovery_rate, 0.9)});
      out.reason += fmt::format("{}{} by {}: {}", out.reason.empty() ? "" : "; ", row.source, row.method,
                                row.degrees.str());
    }
    figure.curves.push_back(std::move(curve));
  }
  out.figures.push_back(std::move(figure));
  out.table = study::rows_table(rows);
  return out;
}

}  // namespace

Experiment claims::structured_patterns() {
  return {
      .id = "R11",
      .title = "Every learner recovers diagonal, block-diagonal and low-rank patterns",
      .claim =
          "An open question: does the algorithm work where Theta has the structure of patterns seen in "
          "practice, though the conditions fail?",
      .source = "Asked of Chen and Li, arXiv 2402.04084",
      .method =
          "Learners told two heads on nice layers whose Theta is diagonal, block-diagonal (four blocks), "
          "or of rank two; d = 16, k = 3. All learners but phase1, 36 seeds, the fewest that "
          "can show 90%; quick: sculpt and gauss-newton, 3 seeds.",
      .criterion =
          "Every learner recovers at least 90% of the layers of each structure, by the exact 95% interval "
          "of the share.",
      .quick_seconds = 12,
      .full_seconds = 3300,
      .perform = perform_structured_patterns};
}

}  // namespace hardhead::experiments
