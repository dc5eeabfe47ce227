#include <fmt/format.h>

#include "experiments/claims/experiment.h"
#include "hardness/families/family.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"

namespace hardhead::experiments {
namespace {

const std::vector<std::string>& knobs() {
  const std::span<const Parameter> table = hardness::find_family("degraded").parameters;
  return find_named("parameter", "which", table).choices;
}

Evidence perform_broken_assumptions(const Setting& setting, const RunContext& context) {
  const std::vector<std::string> settings = setting.quick
                                                ? std::vector<std::string>{"0", "1"}
                                                : std::vector<std::string>{"0", "0.25", "0.5", "0.75", "1"};
  study::ComparisonPlan plan{.sources = {},
                             .methods = {Spec::parse("sculpt"), Spec::parse("gauss-newton")},
                             .seeds = setting.quick ? 3 : 20};
  for (const std::string& which : knobs())
    for (const std::string& knob : settings)
      plan.sources.push_back(fmt::format("degraded:which={},knob={}", which, knob));
  const std::vector<study::ComparisonRow> rows = compared(plan, setting, context);

  Evidence out;
  out.table = study::rows_table(rows);
  bool nice = true, needed_by_all = true;
  for (std::size_t method = 0; method < plan.methods.size(); ++method) {
    const std::string name = plan.methods[method].str();
    std::vector<report::Figure> halves = {{name + "_theta",
                                           name + ": conditions on Theta broken one at a time",
                                           {"knob (0: nice, 1: broken)", false, 0, 1},
                                           {"share recovered", false, 0, 1},
                                           {}},
                                          {name + "_w",
                                           name + ": conditions on W, and label noise",
                                           {"knob (0: nice, 1: broken)", false, 0, 1},
                                           {"share recovered", false, 0, 1},
                                           {}}};
    std::string breaks;
    for (std::size_t w = 0; w < knobs().size(); ++w) {
      report::FigureCurve curve{knobs()[w], {}};
      for (std::size_t i = 0; i < settings.size(); ++i)
        curve.points.push_back(study::recovered_point(
            std::stod(settings[i]), rows[(w * settings.size() + i) * plan.methods.size() + method]));
      nice = nice && curve.points.front().y >= 0.9;
      if (curve.points.back().y < 0.5)
        breaks += (breaks.empty() ? "" : ", ") + knobs()[w];
      else if (method == 0)
        needed_by_all = false;
      halves[knobs()[w].starts_with("theta") ? 0 : 1].curves.push_back(std::move(curve));
    }
    out.reason += fmt::format("{}{} needs {}", out.reason.empty() ? "" : "; ", name,
                              breaks.empty() ? "none of them" : breaks);
    out.figures.insert(out.figures.end(), halves.begin(), halves.end());
  }
  out.verdict = !nice           ? report::Verdict::inconclusive
                : needed_by_all ? report::Verdict::holds
                                : report::Verdict::does_not_hold;
  return out;
}

}  // namespace

Experiment claims::broken_assumptions() {
  return {
      .id = "R13",
      .title = "Each assumption broken in turn",
      .claim =
          "The upper bound assumes non-degeneracy conditions on Theta and W. Which of them does the "
          "algorithm need in practice?",
      .source =
          "Chen and Li, arXiv 2402.04084, conditions as read in hardness/niceness/niceness.h; that each is "
          "needed is not claimed there",
      .method =
          "Families degraded:which=..,knob=..: a nice layer (d = 16, k = 3, m = 2) with one condition moved "
          "from nice (0) to broken (1) and the others left. Five settings, 20 seeds; quick: the two ends, 3 "
          "seeds.",
      .criterion =
          "A learner needs a condition if it recovers less than half of the layers at knob 1. Holds if "
          "sculpt needs every one of them; inconclusive unless at least 90% are recovered at knob 0.",
      .quick_seconds = 140,
      .full_seconds = 3600,
      .perform = perform_broken_assumptions};
}

}  // namespace hardhead::experiments
