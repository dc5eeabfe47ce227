#include <fmt/format.h>

#include "experiments/claims/registered_claims.h"
#include "hardness/families/family.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"

namespace hardhead::experiments {
namespace {

const std::vector<std::string>& knobs() {
  const std::span<const Parameter> table = hardness::find_family("degraded").parameters;
  return find_named("parameter", "which", table).choices;
}

std::vector<std::string> settings_of(bool quick) {
  return quick ? std::vector<std::string>{"0", "1"}
               : std::vector<std::string>{"0", "0.25", "0.5", "0.75", "1"};
}

// The rows of each condition, setting by setting and method by method.
using Rows = std::vector<std::vector<study::ComparisonRow>>;

// At knob 0 the layers of all conditions are the same nice layers, so those of the first one serve all. The
// criterion is on the ends: at 0 there are as many seeds as can show 90%.
Rows run_knobs(const std::vector<learner::Learner>& methods, const Setting& setting,
               const RunContext& context) {
  const std::vector<std::string> settings = settings_of(setting.quick);
  const auto seeds = [&](std::int64_t full) { return setting.quick ? 3 : full; };
  study::Plan nice{.sources = {}, .learners = methods, .seeds = seeds(seeds_for_ninety_percent)};
  study::Plan between{.sources = {}, .learners = methods, .seeds = seeds(10)};
  study::Plan broken{.sources = {}, .learners = methods, .seeds = seeds(20)};
  for (const std::string& which : knobs())
    for (const std::string& knob : settings) {
      if (knob == settings.front() && !nice.sources.empty()) continue;
      (knob == settings.front()  ? nice
       : knob == settings.back() ? broken
                                 : between)
          .sources.push_back(fmt::format("degraded:which={},knob={}", which, knob));
    }
  const Rows done = compared({nice, between, broken}, setting, whole_experiment("R13", context));
  Rows out;
  const auto of = [&](const std::vector<study::ComparisonRow>& rows, std::size_t which, std::size_t points) {
    const auto count = static_cast<std::ptrdiff_t>(points * methods.size());
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(which) * count;
    out.back().insert(out.back().end(), first, first + count);
  };
  for (std::size_t which = 0; which < knobs().size(); ++which) {
    out.emplace_back();
    of(done[0], 0, 1);
    of(done[1], which, settings.size() - 2);
    of(done[2], which, 1);
  }
  return out;
}

Evidence perform_broken_assumptions(const Setting& setting, const RunContext& context) {
  const std::vector<learner::Learner> methods = {Spec::parse("sculpt:budget=400000"),
                                                 Spec::parse("gauss-newton")};
  const std::vector<std::string> settings = settings_of(setting.quick);
  const Rows rows = run_knobs(methods, setting, context);
  std::vector<study::ComparisonRow> table = rows.front();
  for (std::size_t which = 1; which < rows.size(); ++which)
    table.insert(table.end(), rows[which].begin() + static_cast<std::ptrdiff_t>(methods.size()),
                 rows[which].end());

  Evidence out;
  out.table = study::rows_table(table);
  report::Verdict nice = report::Verdict::holds, needed = report::Verdict::holds;
  for (std::size_t method = 0; method < methods.size(); ++method) {
    const std::string name = methods[method].name();
    std::vector<report::Figure> halves = {{name + "_theta",
                                           name + ": conditions on Theta broken one at a time",
                                           {"knob (0: nice, 1: broken)", false, 0, 1},
                                           {"share recovered", false, 0, 1}},
                                          {name + "_w",
                                           name + ": conditions on W, and label noise",
                                           {"knob (0: nice, 1: broken)", false, 0, 1},
                                           {"share recovered", false, 0, 1},
                                           {}}};
    std::string breaks, open;
    for (std::size_t w = 0; w < knobs().size(); ++w) {
      report::FigureCurve curve{knobs()[w], {}};
      const auto row = [&](std::size_t i) -> const study::ComparisonRow& {
        return rows[w][i * methods.size() + method];
      };
      for (std::size_t i = 0; i < settings.size(); ++i)
        curve.points.push_back(study::recovered_point(std::stod(settings[i]), row(i)));
      nice = report::all_of({nice, report::at_least(row(0).recovery_rate, 0.9)});
      const report::Verdict need = report::at_most(row(settings.size() - 1).recovery_rate, 0.5);
      if (method == 0) needed = report::all_of({needed, need});
      if (need != report::Verdict::does_not_hold) {
        std::string& list = need == report::Verdict::holds ? breaks : open;
        list += (list.empty() ? "" : ", ") + knobs()[w];
      }
      halves[knobs()[w].starts_with("theta") ? 0 : 1].curves.push_back(std::move(curve));
    }
    out.reason += fmt::format("{}{} needs {}{}", out.reason.empty() ? "" : "; ", name,
                              breaks.empty() ? "none for certain" : breaks,
                              open.empty() ? "" : fmt::format(" (open: {})", open));
    out.figures.insert(out.figures.end(), halves.begin(), halves.end());
  }
  out.verdict = nice == report::Verdict::holds ? needed : report::Verdict::inconclusive;
  return out;
}

}  // namespace

Experiment claims::broken_assumptions() {
  return {
      .id = "R13",
      .title = "sculpt needs each of the paper's assumptions",
      .claim =
          "The upper bound assumes non-degeneracy conditions on Theta and W. Which of them does the "
          "algorithm need in practice?",
      .source =
          "Chen and Li, arXiv 2402.04084, conditions as read in hardness/niceness/niceness.h; that each is "
          "needed is not claimed there",
      .method =
          "Families degraded:which=..,knob=..: a nice layer (d = 16, k = 3, m = 2) with one condition moved "
          "from nice (0) to broken (1) and the others left. Five settings: 36 seeds at knob 0, where the "
          "layers of all conditions are the same, 20 at knob 1, 10 between; quick: the two ends, 3 seeds.",
      .criterion =
          "A learner needs a condition if it recovers at most half of the layers at knob 1, by the exact 95% "
          "interval of the share. Holds if sculpt needs every one of them, does not hold if it does not need "
          "one; inconclusive unless at least 90% are recovered at knob 0, by the interval.",
      .quick_seconds = 140,
      .full_seconds = 3600,
      .perform = perform_broken_assumptions};
}

}  // namespace hardhead::experiments
