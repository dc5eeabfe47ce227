#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/median.h"
#include "experiments/attacks/attack_cost.h"
#include "experiments/attacks/parity_elimination.h"
#include "experiments/claims/registered_claims.h"
#include "hardness/concepts/all_members.h"
#include "hardness/families/family.h"
#include "sq/dimension/information.h"
#include "sq/dimension/low_degree.h"
#include "study/cost/cost_fit.h"

namespace hardhead::experiments {
namespace {

using report::FigureCurve;

constexpr long gap_d = 20;

/// Two figures, parities and layers of rounding, and the table of both.
struct Gap {
  const Setting& setting;
  const RunContext& context;
  report::Table table{{"instance", "what", "examples", "95% low", "95% high"}, {}};

  /// What the posteriors of as many draws say.
  std::vector<double> draw(const lwe::ProblemParameters& parameters) const {
    return draw_information(parameters, setting.seed, setting.quick ? 7 : 51, context.stop);
  }

  /// A point of a curve of `figure`, and its row.
  void add(report::Figure& figure, const std::string& instance, const std::string& what,
           const report::FigurePoint& point, FigureCurve::Kind kind) {
    auto curve = std::ranges::find(figure.curves, what, &FigureCurve::label);
    if (curve == figure.curves.end()) {
      figure.curves.push_back({what, {}, FigureCurve::Style::line_and_points, kind});
      curve = std::prev(figure.curves.end());
    }
    curve->points.push_back(point);
    const auto end = [&](double value) { return point.interval ? fmt::format("{:.6g}", value) : "-"; };
    const statistics::Interval interval = point.interval.value_or(statistics::Interval{});
    table.add({instance, what, fmt::format("{:.6g}", point.y), end(interval.low), end(interval.high)});
  }
};

constexpr auto as_measured = FigureCurve::Kind::measured;
constexpr auto as_bound = FigureCurve::Kind::bound;

/// What decides, at the largest m.
struct ParityGap {
  double information = 0, information_high = 0;  ///< median, and the high end of its interval
  double elimination = 0;
  double learner_low = 0;  ///< the least low end of the fitted learners
};

ParityGap parities(Gap& gap, report::Figure& figure) {
  ParityGap out;
  for (int m = 1; m <= 6; ++m) {
    const std::string spec = fmt::format("parity:d={},m={}", gap_d, m);
    const auto at = [&](double y, std::optional<statistics::Interval> interval = {}) {
      return report::FigurePoint{static_cast<double>(m), y, interval};
    };
    const sq::MemberPairs pairs = sq::parity_pairs(gap_d, m);
    const sq::InformationLimit limit = sq::information_limit(pairs, 2);
    const std::vector<double> drawn = gap.draw({.problem = lwe::ProblemKind::lpn,
                                                .n = gap_d - 1,
                                                .q = 2,
                                                .secret = lwe::SecretKind::fixed_weight,
                                                .weight = m});
    const auto interval = statistics::median_interval(drawn);
    out.information = statistics::median(drawn);
    out.information_high = interval.value_or(statistics::Interval{}).high;
    gap.add(figure, spec, "information limit (median of posteriors)", at(out.information, interval),
            as_measured);
    gap.add(figure, spec, "information limit, fewer are not enough", at(static_cast<double>(limit.at_least)),
            as_bound);
    gap.add(figure, spec, "information limit, enough", at(static_cast<double>(*limit.enough)), as_bound);
    out.elimination = static_cast<double>(elimination_examples(gap_d, 0.01));
    gap.add(figure, spec, "elimination", at(out.elimination), as_measured);
    gap.add(figure, spec, "statistics of one example at a time",
            at(sq::least_examples(pairs, 1).convert_to<double>()), as_bound);
    out.learner_low = INFINITY;
    for (const study::CostFit& fit : study::cost_fits("parity", {gap_d, 2})) {
      const study::LearnerCost cost = fit.at(gap_d, m);
      if (cost.no_fit || m < 2) continue;  // R6 begins at two hidden bits
      gap.add(figure, spec, cost.learner + " (fitted to R6)", at(cost.examples.value, cost.examples.interval),
              as_measured);
      out.learner_low = std::min(out.learner_low, cost.examples.interval.low);
    }
  }
  return out;
}

/// What adam reads until it has learnt the layer, told that every Theta_i is diagonal; infinite where it does
/// not learn it.
std::vector<double> learnt_from(const std::string& spec, const Gap& gap) {
  study::Plan plan{.sources = {spec},
                   .learners = {Spec::parse("adam:theta=diagonal,student=64,rate=0.009,until=0.0017")},
                   .seeds = gap.setting.quick ? 1 : 5};
  plan.run.task.time_limit_seconds = gap.setting.quick ? 10 : 600;
  std::vector<double> out;
  const study::ComparisonRow row = std::move(compared(plan, gap.setting, gap.context).front());
  for (const study::RunResult& run : row.runs)
    out.push_back(run.score.degree >= study::Degree::learnt ? static_cast<double>(run.report.examples_used)
                                                            : INFINITY);
  return out;
}

void roundings(Gap& gap, report::Figure& figure) {
  const std::vector<int> sizes = gap.setting.quick ? std::vector{2, 3} : std::vector{2, 3, 4, 5};
  for (const int n : sizes) {
    const std::string spec = fmt::format("lwr:n={},q=16", n);
    const auto at = [&](double y, std::optional<statistics::Interval> interval = {}) {
      return report::FigurePoint{static_cast<double>(n), y, interval};
    };
    const Spec canonical = hardness::find_family("lwr").canonical(Spec::parse(spec));
    const lwe::ProblemParameters parameters =
        hardness::find_family(canonical.name).samples(canonical).problem;
    const std::vector<double> drawn = gap.draw(parameters);
    gap.add(figure, spec, "information limit (median of posteriors)",
            at(statistics::median(drawn), statistics::median_interval(drawn)), as_measured);
    const sq::InformationLimit limit =
        sq::information_limit(hardness::secrets_behind_layers(parameters), static_cast<int>(parameters.p));
    gap.add(figure, spec, "information limit, fewer are not enough", at(static_cast<double>(limit.at_least)),
            as_bound);
    if (const auto pairs = hardness::rounding_pairs(parameters))
      gap.add(figure, spec, "statistics of one example at a time",
              at(sq::least_examples(*pairs, 1).convert_to<double>()), as_bound);
    if (const auto attack = cheapest_attack(canonical))
      gap.add(figure, spec, "the attack predicted cheapest", at(attack->examples), as_measured);
    gap.context.progress.report(fmt::format("R15: {}", spec), 0.2 * n);
    const std::vector<double> learnt = learnt_from(spec, gap);
    if (const double median = statistics::median(learnt); std::isfinite(median))
      gap.add(figure, spec, "adam, diagonal (median of all runs)",
              at(median, statistics::median_interval(learnt)), as_measured);
  }
}

Evidence perform_information_gap(const Setting& setting, const RunContext& context) {
  constexpr double least_gap = 100, most_of_elimination = 4;
  Gap gap{setting, context};
  report::Figure parity{"parity",
                        fmt::format("What examples allow, and what is taken (parity, d = {})", gap_d),
                        {"m (hidden bits)"},
                        {"examples", true}},
      lwr{"lwr", "The same for layers of rounding (q = 16, p = 2)", {"n"}, {"examples", true}};
  const ParityGap found = parities(gap, parity);
  roundings(gap, lwr);
  Evidence out{.reason = {}, .figures = {}, .table = std::move(gap.table)};
  out.reason = fmt::format(
      "parity of 6 hidden bits of {}: the posterior settles on the hidden set after {:.3g} examples in the "
      "median, elimination reads {:.3g}, the fitted cost of a gradient learner begins at {:.3g}",
      gap_d - 1, found.information, found.elimination, found.learner_low);
  out.verdict = report::decided(found.elimination <= most_of_elimination * found.information &&
                                found.learner_low >= least_gap * found.information_high);
  out.figures = {std::move(parity), std::move(lwr)};
  return out;
}

}  // namespace

Experiment claims::information_gap() {
  return {
      .id = "R15",
      .title = "Elimination comes near the information limit, and gradient learners stay far from it",
      .claim =
          "Examples tell what a hard layer hides long before gradient learners find it: a gap between "
          "statistics and computation, which elimination closes for parities.",
      .source = "this project: sq/dimension/information.h, lwe/problem/posterior.h",
      .method =
          "Parity, d = 20, m = 1 .. 6, and lwr, q = 16, n = 2 .. 5 (quick: 2, 3). The exact "
          "posterior over all members after each example; the least number of examples after which "
          "it gives the hidden member probability 1/2, in the median over 51 draws (quick: 7), twice "
          "the number of samples since the switch is on in half of all examples. Beside it the two "
          "bounds of the information limit, elimination, the least number of examples for statistics "
          "of one example at a time, what adam takes by the laws fitted to R6, and on lwr runs of "
          "adam with a diagonal student (5 seeds of 600 s; quick: 1 of 10 s).",
      .criterion =
          "At parity of 6 hidden bits elimination reads at most 4 times the information limit, and the 95% "
          "interval of every fitted gradient learner begins at 100 times the limit or more.",
      .quick_seconds = 40,
      .full_seconds = 4000,
      .perform = perform_information_gap};
}

}  // namespace hardhead::experiments
