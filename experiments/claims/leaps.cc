#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/claims/experiment.h"
#include "hardness/families/junta.h"
#include "sq/dimension/leap.h"
#include "statistics/growth.h"
#include "study/sweep/success_curve.h"

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

/// The examples, read as often as it likes, from which half of all seeds learn the layer, at each d where
/// that is known.
std::vector<report::FigurePoint> examples_by_d(const LeapCase& one, const Setting& setting,
                                               const RunContext& context, report::Table& table) {
  const std::vector<int> sizes = setting.quick ? std::vector{8, 16, 32} : std::vector{12, 16, 24, 32, 48};
  std::vector<report::FigurePoint> out;
  for (const int d : sizes) {
    study::SuccessSearch search{.source = one.spec(d),
                                .seed = setting.seed,
                                .seeds = setting.quick ? 2 : 7,
                                .goal = study::Degree::learnt,
                                .least = 64,
                                .most = setting.quick ? 8192 : 131'072,
                                .execution = {setting.journal, setting.jobs}};
    search.run.method = Spec::parse(
        fmt::format("adam:theta=diagonal,student=32,batch=128,rate=0.009,schedule=constant,steps=4000,"
                    "until=0.0033,loss={}",
                    one.loss()));
    search.run.task.time_limit_seconds = setting.quick ? 3 : 60;
    const study::SuccessCurve curve = study::success_curve(search, context);
    context.stop.check();
    const auto text = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.6g}", *value) : std::string("-");
    };
    table.add({one.spec(d), one.loss(), fmt::format("{}", one.leap()), text(curve.examples), text(curve.low),
               text(curve.high)});
    if (!curve.examples) continue;
    report::FigurePoint point{static_cast<double>(d), *curve.examples};
    if (curve.low && curve.high) point.interval = statistics::Interval{*curve.low, *curve.high};
    out.push_back(point);
  }
  return out;
}

Evidence perform_leaps(const Setting& setting, const RunContext& context) {
  Evidence out;
  out.table.columns = {"instance", "loss",    "leap", "examples (half of all seeds learn)",
                       "95% low",  "95% high"};
  report::FigureCurve squared{"squared loss", {}, report::FigureCurve::Style::points},
      absolute{"absolute loss", {}, report::FigureCurve::Style::points},
      theory{"expected", {}, report::FigureCurve::Style::line, report::FigureCurve::Kind::bound};
  report::Figure examples{"examples",
                          "Examples from which half of all seeds learn",
                          {"d", true},
                          {"examples (median)", true},
                          {}};
  report::Verdict verdict = report::Verdict::holds;
  const std::vector<LeapCase> cases = leap_cases(setting.quick);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LeapCase& one = cases[i];
    context.progress.report(fmt::format("R17: {}, {} loss", one.name(), one.loss()),
                            static_cast<double>(i) / static_cast<double>(cases.size()));
    const auto points = examples_by_d(one, setting, context, out.table);
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
          "absolute loss. adam with a diagonal student of 32 heads, batches of 128, up to 4000 steps "
          "at a constant rate, on a fixed number of examples, which it reads again and again: 64, "
          "128, .. 131,072, 7 seeds each, at d = 12, 16, 24, 32, 48 (quick: a staircase and a parity "
          "of 3 bits, up to 8192, d = 8, 16, 32, 2 seeds of 3 s). The number from which half of all "
          "seeds learn the layer, and its power of d.",
      .criterion = "The 95% interval of every power lies within 0.5 of the expected one.",
      .quick_seconds = 60,
      .full_seconds = 16000,
      .perform = perform_leaps};
}

}  // namespace hardhead::experiments
