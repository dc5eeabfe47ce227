#include <fmt/format.h>

#include <cmath>

#include "attention/sample_source.h"
#include "hardness/family.h"
#include "hardness/niceness.h"
#include "learner/w_sum.h"
#include "study/growth.h"
#include "study/reproduce/experiment.h"

namespace hardhead::study {
namespace {

using attention::Matrix;

struct Measured {
  double stable_rank, error;
};

// Two estimates from disjoint examples have independent noise, so <A - W, B - W> is the squared error that is left with
// infinitely many examples, without bias.
Measured measure(const std::string& spec, std::int64_t examples, const RunControl& control) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse(spec));
  const Matrix truth = instance.layer.w_sum();
  const auto estimate = [&](std::uint64_t seed) {
    const attention::SimulatedSource source(instance.teacher, instance.layer.d, instance.k, instance.inputs,
                                            Stream(Domain::samples, seed, instance.digest));
    return Matrix(learner::gradient_step_w_sum(source, examples, control).estimate - truth);
  };
  Measured out{};
  out.error = std::sqrt(std::max(0.0, estimate(1).cwiseProduct(estimate(2)).sum())) / truth.norm();
  for (const attention::Head& head : instance.layer.heads)
    out.stable_rank += hardness::stable_rank(head.theta) / static_cast<double>(instance.layer.heads.size());
  return out;
}

Evidence perform(const Setting& setting, const RunControl& control) {
  const int seeds = setting.quick ? 3 : 10;
  const std::int64_t examples = setting.quick ? 100'000 : 1'000'000;
  const std::vector<std::pair<std::string, std::vector<std::string>>> series = {
      {"nice, d = 8 .. 128",
       {"nice:d=8,k=2", "nice:d=16,k=2", "nice:d=32,k=2", "nice:d=64,k=2", "nice:d=128,k=2"}},
      {"low-rank, d = 64, rank 1 .. 64",
       {"low-rank:d=64,k=2,rank=1", "low-rank:d=64,k=2,rank=2", "low-rank:d=64,k=2,rank=4",
        "low-rank:d=64,k=2,rank=8", "low-rank:d=64,k=2,rank=16", "low-rank:d=64,k=2,rank=64"}}};
  Evidence out;
  out.table.columns = {"instance", "seeds", "stable rank of Theta", "error of W_sum (relative, median)", "least",
                       "largest"};
  Figure figure{"error", "One gradient step: what remains of the error with infinitely many examples",
                {"stable rank of Theta_i", true}, {"error of W_sum (relative)", true}, {}};
  bool falls = true, fails = false;
  double done = 0;
  for (const auto& [label, specs] : series) {
    std::vector<GrowthPoint> points;
    FigureCurve curve{label, {}};
    for (const std::string& spec : specs) {
      control.progress("R1: " + spec, done);
      done += 1.0 / 11;
      GrowthPoint point;
      for (int seed = 1; seed <= seeds; ++seed) {
        const Measured m = measure(fmt::format("{},seed={}", spec, seed), examples, control);
        point.x += m.stable_rank / seeds;
        point.y.push_back(m.error);
      }
      const auto [least, largest] = std::minmax_element(point.y.begin(), point.y.end());
      out.table.add({spec, fmt::format("{}", seeds), fmt::format("{:.2f}", point.x),
                     fmt::format("{:.4f}", median(point.y)), fmt::format("{:.4f}", *least),
                     fmt::format("{:.4f}", *largest)});
      curve.points.push_back({point.x, median(point.y), Interval{*least, *largest}});
      points.push_back(std::move(point));
    }
    const Growth growth = fit_growth(points);
    const Estimate& slope = growth.power.rate;
    falls = falls && slope.interval.high < 0;
    fails = fails || slope.interval.low > 0;
    out.reason += fmt::format("{}{}: error {}", out.reason.empty() ? "" : "; ", label, growth.str("r"));
    figure.curves.push_back(std::move(curve));
  }
  out.verdict = falls ? Verdict::holds : fails ? Verdict::does_not_hold : Verdict::inconclusive;
  out.figures.push_back(std::move(figure));
  return out;
}

}  // namespace

Experiment reproduce_experiments::w_sum_error() {
  return {.id = "R1",
          .title = "One gradient step finds W_sum up to 1/poly(stable rank)",
          .claim = "With attention frozen at uniform, one gradient step on W estimates W_sum = sum_i W_i up to a relative "
                   "error that does not vanish with more examples and is an inverse power of the stable rank of Theta_i.",
          .source = "Chen and Li, arXiv 2402.04084, phase 1; also the talk",
          .method = "The error that infinitely many examples leave, measured without the noise of finitely many: "
                    "sqrt <A - W, B - W> for two steps A, B from disjoint examples, ||Theta_i|| = 2, two heads. The stable "
                    "rank r is moved by d (nice layers) and by the rank of Theta at fixed d. 10 seeds, two times a "
                    "million examples; quick: 3 seeds, two times 100,000.",
          .criterion = "In ln(error) = a + b ln(r), fitted by least squares to each series, b is below 0 with its 95% interval.",
          .quick_seconds = 60,
          .full_seconds = 1500,
          .perform = perform};
}

}  // namespace hardhead::study
