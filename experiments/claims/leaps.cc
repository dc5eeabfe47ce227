#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/claims/experiment.h"
#include "hardness/families/junta.h"
#include "sq/dimension/leap.h"
#include "statistics/growth.h"
#include "statistics/median.h"

namespace hardhead::experiments {
namespace {

using hardness::JuntaFunction;

/// A run has found the bits: what is left then, of a function of few bits, takes the same time at every d.
constexpr double found_advantage = 0.7;

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

/// Examples until success at each d where at least half of all seeds succeed.
std::vector<statistics::GrowthPoint> examples_by_d(const LeapCase& one, const Setting& setting,
                                                   const RunContext& context, report::Table& table) {
  const std::vector<int> sizes = setting.quick ? std::vector{8, 12, 16} : std::vector{12, 16, 24, 32, 48};
  std::vector<statistics::GrowthPoint> out;
  for (const int d : sizes) {
    study::ComparisonPlan plan{
        .sources = {one.spec(d)},
        .methods = {Spec::parse(fmt::format(
            "adam:theta=diagonal,student=32,batch=128,rate=0.009,schedule=constant,until=0.25,loss={}",
            one.loss()))},
        .seeds = setting.quick ? 2 : 7};
    plan.run.task.time_limit_seconds = setting.quick ? 12 : 240;
    const study::ComparisonRow row = std::move(compared(std::move(plan), setting, context).front());
    statistics::GrowthPoint point{static_cast<double>(d), {}};
    for (const study::RunResult& run : row.runs)
      if (run.score.advantage >= found_advantage)
        point.y.push_back(static_cast<double>(run.report.examples_used));
    table.add({row.source, one.loss(), fmt::format("{}", one.leap()),
               point.y.empty() ? "-" : fmt::format("{:.6g}", statistics::median(point.y)),
               row.degrees.str()});
    if (2 * std::ssize(point.y) >= std::ssize(row.runs)) out.push_back(std::move(point));
  }
  return out;
}

Evidence perform_leaps(const Setting& setting, const RunContext& context) {
  Evidence out;
  out.table.columns = {"instance", "loss", "leap", "examples (median of those that found the bits)",
                       "degrees"};
  report::FigureCurve squared{"squared loss", {}, report::FigureCurve::Style::points},
      absolute{"absolute loss", {}, report::FigureCurve::Style::points},
      theory{"expected", {}, report::FigureCurve::Style::line, report::FigureCurve::Kind::bound};
  report::Figure examples{
      "examples", "Examples until the bits are found", {"d", true}, {"examples (median)", true}, {}};
  report::Verdict verdict = report::Verdict::holds;
  const std::vector<LeapCase> cases = leap_cases(setting.quick);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LeapCase& one = cases[i];
    context.progress.report(fmt::format("R17: {}, {} loss", one.name(), one.loss()),
                            static_cast<double>(i) / static_cast<double>(cases.size()));
    const auto points = examples_by_d(one, setting, context, out.table);
    report::FigureCurve curve{fmt::format("{}, {}", one.name(), one.loss()), {}};
    for (const auto& point : points)
      curve.points.push_back({point.x, statistics::median(point.y), statistics::median_interval(point.y)});
    examples.curves.push_back(std::move(curve));
    const std::string what = fmt::format("{}{} ({} loss, leap {}): ", out.reason.empty() ? "" : "; ",
                                         one.name(), one.loss(), one.leap());
    if (points.size() < 3) {
      out.reason += what + "found at fewer than three d";
      verdict = report::all_of({verdict, report::Verdict::inconclusive});
      continue;
    }
    const statistics::Estimate power = statistics::fit_growth(points).power.rate;
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
          "Layers of family junta: staircase and address of 3 bits (leap 1), parities of 2, 3 and 4 bits "
          "(leaps 2, 3, 4), scaled-parity of 4 bits (leap 3 for the squared and 1 for the absolute loss) by "
          "the squared loss; the parity of 3 bits and scaled-parity by the absolute loss. adam with a "
          "diagonal student of 32 heads, batches of 128 and a constant rate, until its held-back error is "
          "0.25, at d = 12, 16, 24, 32, 48, 7 seeds of at most 240 s (quick: a staircase and a parity of 3 "
          "bits at d = 8, 12, 16, 2 seeds of 12 s). A run whose advantage is 0.7 or more has found the bits; "
          "what it takes to fit the rest does not depend on d. The power of d is fitted to the examples read "
          "where at least half of all seeds found them.",
      .criterion = "The 95% interval of every power lies within 0.5 of the expected one.",
      .quick_seconds = 100,
      .full_seconds = 16000,
      .perform = perform_leaps};
}

}  // namespace hardhead::experiments
