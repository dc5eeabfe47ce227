#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/statistics/growth.h"
#include "experiments/claims/registered_claims.h"
#include "hardness/families/junta.h"
#include "sq/dimension/leap.h"
#include "study/cost/measured_costs.h"
#include "study/sweep/examples_search.h"

namespace hardhead::experiments {
namespace {

using hardness::JuntaFunction;
/// A function of hidden bits, and the loss that is followed.
struct LeapCase {
  JuntaFunction function;
  int m;
  bool absolute = false;

  std::string name() const { return fmt::format("{}, m = {}", name_of(function), m); }
  const char* loss() const { return absolute ? "l1" : "squared"; }
  std::string spec(int d) const {
    return fmt::format("junta:d={},m={},function={}", d, m, name_of(function));
  }
  /// The leap for this loss.
  int leap() const {
    const sq::Leaps both = sq::leaps(hardness::junta_values(function, m));
    return absolute ? both.sq : both.csq;
  }
};

/// The power of d that is expected of a leap: 1 for leaps 1 and 2.
double expected_power(int leap) {
  return std::max(1, leap - 1);
}

std::vector<LeapCase> leap_cases(bool quick) {
  if (quick) return {{JuntaFunction::staircase, 3}, {JuntaFunction::parity, 3}};
  return {{JuntaFunction::staircase, 3},    {JuntaFunction::address, 3},
          {JuntaFunction::parity, 2},       {JuntaFunction::parity, 3},
          {JuntaFunction::parity, 4},       {JuntaFunction::scaled_parity, 4},
          {JuntaFunction::parity, 3, true}, {JuntaFunction::scaled_parity, 4, true}};
}

/// What is kept of every case.
struct LeapRecords {
  report::Table table{
      {"instance", "loss", "leap", "rate", "examples (half of all seeds learn)", "95% low", "95% high"}, {}};
  std::vector<study::MeasuredCost> costs;
};

/// The layers for choosing a rate are this far from those that are measured.
constexpr std::uint64_t seeds_for_choosing = 1'000'000;

/// Success of `seeds` runs against the number of examples, which are read as often as the learner likes.
study::SuccessCurve curve_at(const LeapCase& one, const std::string& rate, int d, const Setting& setting,
                             const RunContext& context) {
  study::ExamplesSearch search{.plan = {.sources = {one.spec(d)},
                                        .learners = {},
                                        .seeds = setting.quick ? 2 : 10,
                                        .seed = setting.seed,
                                        .execution = {setting.journal, setting.jobs}},
                               .goal = study::Degree::learnt,
                               .least = 64,
                               .most = setting.quick ? 8192 : 131'072,
                               .ratio = setting.quick ? 2 : std::numbers::sqrt2};
  search.plan.learners.emplace_back(Spec::parse(fmt::format(
      "adam:theta=diagonal,student=32,batch=128,rate={},steps={},patience=1000,until=0.0033,loss={}", rate,
      setting.quick ? 2000 : 4000, one.loss())));
  search.plan.run.task.time_limit_seconds = setting.quick ? 3 : 60;
  const study::SuccessCurve curve = study::success_curve(search, context);
  context.stop.check();
  return curve;
}

/// The rate with which the layers for choosing take fewest examples.
std::string chosen_rate(const LeapCase& one, const Setting& setting, const RunContext& context) {
  constexpr int d = 24;
  Setting other = setting;
  other.seed += seeds_for_choosing;
  std::string best;
  double fewest = INFINITY;
  for (const std::string rate : {"0.01", "0.003"}) {
    if (setting.quick) return rate;
    const double examples = curve_at(one, rate, d, other, context).examples.value_or(INFINITY);
    if (!best.empty() && examples >= fewest) continue;
    best = rate;
    fewest = examples;
  }
  return best;
}

/// Seconds of a typical run at the first budget from which half of all seeds learn.
std::optional<double> seconds_at(const study::SuccessCurve& curve) {
  for (const study::BudgetResult& budget : curve.budgets)
    if (curve.examples && static_cast<double>(budget.examples) >= *curve.examples && budget.seconds)
      return budget.seconds;
  return std::nullopt;
}

/// The examples from which half of all seeds learn the layer, at each d where that is known.
std::vector<report::FigurePoint> examples_by_d(const LeapCase& one, const Setting& setting,
                                               const RunContext& context, LeapRecords& records) {
  const std::vector<int> sizes = setting.quick ? std::vector{8, 16, 32} : std::vector{12, 16, 24, 32, 48};
  const std::string rate = chosen_rate(one, setting, context);
  std::vector<report::FigurePoint> out;
  for (const int d : sizes) {
    const study::SuccessCurve curve = curve_at(one, rate, d, setting, context);
    const auto text = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.6g}", *value) : std::string("-");
    };
    records.table.add({one.spec(d), one.loss(), fmt::format("{}", one.leap()), rate, text(curve.examples),
                       text(curve.low), text(curve.high)});
    const std::optional<double> seconds = seconds_at(curve);
    records.costs.push_back({.learner = one.absolute ? "adam, diagonal, l1" : "adam, diagonal",
                             .family = fmt::format("junta {}", name_of(one.function)),
                             .d = d,
                             .k = 2,
                             .m = one.m,
                             .seed = setting.seed,
                             .examples = curve.examples.value_or(curve.budgets.back().examples),
                             .censored = !seconds,
                             .seconds = seconds});
    if (!curve.examples) continue;
    report::FigurePoint point{static_cast<double>(d), *curve.examples};
    if (curve.low && curve.high) point.interval = statistics::Interval{*curve.low, *curve.high};
    out.push_back(point);
  }
  return out;
}

Evidence perform_leaps(const Setting& setting, const RunContext& context) {
  Evidence out;
  LeapRecords records;
  report::FigureCurve squared{"squared loss", {}, report::FigureCurve::Style::points},
      absolute{"absolute loss", {}, report::FigureCurve::Style::points},
      theory{"expected", {}, report::FigureCurve::Style::line, report::FigureCurve::Kind::bound};
  report::Figure examples{
      "examples", "Examples from which half of all seeds learn", {"d", true}, {"examples (median)", true}};
  report::Verdict verdict = report::Verdict::holds;
  const std::vector<LeapCase> cases = leap_cases(setting.quick);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LeapCase& one = cases[i];
    context.progress.report(fmt::format("R17: {}, {} loss", one.name(), one.loss()),
                            static_cast<double>(i) / static_cast<double>(cases.size()));
    const auto points = examples_by_d(one, setting, context, records);
    examples.curves.push_back({fmt::format("{}, {}", one.name(), one.loss()), points});
    const std::string what = fmt::format("{}{} ({} loss, leap {}): ", out.reason.empty() ? "" : "; ",
                                         one.name(), one.loss(), one.leap());
    if (points.size() < 3) {
      out.reason += what + "learnt at fewer than three d";
      verdict = report::all_of({verdict, report::Verdict::inconclusive});
      continue;
    }
    std::vector<statistics::GrowthPoint> growth;
    for (const report::FigurePoint& point : points) growth.push_back({point.x, {point.y}});
    const statistics::Estimate power = statistics::fit_growth(growth).power.rate;
    const double expected = expected_power(one.leap());
    verdict = report::all_of({verdict, report::within(power.interval, expected - 0.5, expected + 0.5)});
    out.reason += what + fmt::format("d^{:.2f} ({:.2f} .. {:.2f}), expected d^{}", power.value,
                                     power.interval.low, power.interval.high, expected);
    (one.absolute ? absolute : squared)
        .points.push_back({static_cast<double>(one.leap()), power.value, power.interval});
  }
  for (int leap = 1; leap <= 4; ++leap)
    theory.points.push_back({static_cast<double>(leap), expected_power(leap)});
  out.verdict = verdict;
  out.table = std::move(records.table);
  out.costs = study::costs_table(records.costs);
  out.figures = {{"exponent",
                  "Power of d in the examples of a gradient learner, against the leap",
                  {"leap for the loss"},
                  {"power of d"},
                  {std::move(squared), std::move(absolute), std::move(theory)}},
                 std::move(examples)};
  return out;
}

}  // namespace

Experiment claims::leaps() {
  return {
      .id = "R17",
      .title = "What gradient learners take is told by the leap",
      .claim =
          "A function of few hidden bits of leap 1 or 2 is learnt by gradients from about d examples, one of "
          "leap r from about d^(r-1); the leap is that of correlations for the squared and that of all "
          "statistical queries for the absolute loss.",
      .source =
          "N. Joshi, T. Misiakiewicz, N. Srebro, arXiv 2407.05622; E. Abbe, E. Boix-Adsera, T. "
          "Misiakiewicz, COLT 2023 (d^(max(leap-1,1)) for sums of monomials); sq/dimension/leap.h",
      .method =
          "Layers of family junta: staircase and address of 3 bits (leap 1), parities of 2, 3 and 4 "
          "bits (leaps 2, 3, 4), scaled-parity of 4 bits (leap 3 for the squared and 1 for the "
          "absolute loss) by the squared loss; the parity of 3 bits and scaled-parity by the "
          "absolute loss. adam with a diagonal student of 32 heads, batches of 128, up to 4000 steps, on a "
          "fixed number of examples, which it reads again and again: 64, 91, 128, .. 131,072, until all "
          "of 10 seeds learn, at d = 12, 16, 24, 32, 48. The first rate is 0.01 or 0.003, whichever takes "
          "fewer examples on other layers of d = 24. (Quick: a staircase and a parity of 3 bits, up to 8192, "
          "d = 8, 16, 32, 2 seeds of 3 s, rate 0.01.) The number from which half of all seeds learn the "
          "layer, and its power of d.",
      .criterion = "The 95% interval of every power lies within 0.5 of the expected one.",
      .quick_seconds = 60,
      .full_seconds = 16000,
      .perform = perform_leaps};
}

}  // namespace hardhead::experiments
