#include <fmt/format.h>

#include <cmath>

#include "attention/samples/sample_source.h"
#include "base/numeric/decompositions.h"
#include "base/statistics/growth.h"
#include "base/statistics/median.h"
#include "experiments/claims/registered_claims.h"
#include "hardness/families/family.h"
#include "hardness/niceness/niceness.h"
#include "learner/phases/w_sum.h"

namespace hardhead::experiments {
namespace {

using attention::Matrix;

struct Measured {
  double stable_rank = 0;
  double generic = 0;  // relative error of W_sum for the layer's own W
  double worst = 0;    // the largest for any W behind the first head alone
};

// Two steps from disjoint examples: their errors against `truth` share the part that infinitely many examples
// leave, and nothing else.
std::pair<Matrix, Matrix> errors(const attention::Layer& layer, const hardness::Instance& instance,
                                 std::int64_t examples, const RunContext& context) {
  const auto teacher = std::make_shared<attention::LayerTeacher>(layer);
  const auto error = [&](std::uint64_t seed) {
    const attention::SimulatedSource source(teacher, layer.d, instance.k, instance.inputs,
                                            Stream(Domain::samples, seed, instance.digest));
    return Matrix(learner::gradient_step_w_sum(source, examples, context).estimate - layer.w_sum());
  };
  return {error(1), error(2)};
}

Measured measure(const std::string& spec, std::int64_t examples, const RunContext& context) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse(spec));
  Measured out;
  const auto [a, b] = errors(instance.layer, instance, examples, context);
  // <A, B> is the squared error without bias.
  out.generic = std::sqrt(std::max(0.0, a.cwiseProduct(b).sum())) / instance.layer.w_sum().norm();
  // The step is linear in W, so W = 1 shows all of it; its worst W is the error's largest singular direction,
  // found on one half of the examples and measured on the other.
  const attention::Matrix& theta = instance.layer.heads.front().theta;
  out.stable_rank = hardness::stable_rank(theta);
  const attention::Layer identity{instance.layer.d, {{theta, Matrix::Identity(theta.rows(), theta.rows())}}};
  const auto [first, second] = errors(identity, instance, examples, context);
  const SingularValues svd = singular_values(first, SingularVectors::thin);
  out.worst = std::abs(svd.u.col(0).dot(second * svd.v.col(0)));
  return out;
}

// Instances along which the stable rank grows.
struct Series {
  std::string label;
  std::vector<std::string> specs;
};

const std::vector<Series> series = {
    {"nice, d = 8 .. 128",
     {"nice:d=8,k=2", "nice:d=16,k=2", "nice:d=32,k=2", "nice:d=64,k=2", "nice:d=128,k=2"}},
    {"rank 1 .. 64, d = 64",
     {"low-rank:d=64,k=2,rank=1", "low-rank:d=64,k=2,rank=2", "low-rank:d=64,k=2,rank=4",
      "low-rank:d=64,k=2,rank=8", "low-rank:d=64,k=2,rank=16", "low-rank:d=64,k=2,rank=64"}}};

// Rows of the table, a curve and a sentence for the errors of one kind of W along a series. Returns the power
// of the stable rank as which they fall.
statistics::Estimate add_errors(const Series& of, const std::string& what,
                                const std::vector<statistics::GrowthPoint>& points, report::Figure& figure,
                                Evidence& out) {
  report::FigureCurve curve{fmt::format("{}, {}", of.label, what), {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [least, largest] = std::ranges::minmax(points[i].y);
    curve.points.push_back(
        {points[i].x, statistics::median(points[i].y), statistics::Interval{least, largest}});
    out.table.add({of.specs[i], fmt::format("{}", points[i].y.size()), fmt::format("{:.2f}", points[i].x),
                   what, fmt::format("{:.4f}", statistics::median(points[i].y)), fmt::format("{:.4f}", least),
                   fmt::format("{:.4f}", largest)});
  }
  figure.curves.push_back(std::move(curve));
  const statistics::Estimate slope = statistics::fit_growth(points).power.rate;
  out.reason += fmt::format("{}{}, {}: error as r^{:.2f} ({:.2f} .. {:.2f})", out.reason.empty() ? "" : "; ",
                            of.label, what, slope.value, slope.interval.low, slope.interval.high);
  return slope;
}

Evidence perform_w_sum_error(const Setting& setting, const RunContext& context) {
  const std::uint64_t seeds = setting.quick ? 3 : 10;
  const std::int64_t examples = setting.quick ? 100'000 : 1'000'000;
  Evidence out;
  out.table.columns = {"instance", "seeds",  "stable rank of Theta", "W", "error of W_sum (relative, median)",
                       "least",    "largest"};
  report::Figure figure{"error",
                        "One gradient step: what remains of the error with infinitely many examples",
                        {"stable rank of Theta_1", true},
                        {"error of W_sum (relative)", true}};
  bool falls = true, fails = false;
  double done = 0;
  for (const Series& of : series) {
    std::vector<statistics::GrowthPoint> worst, generic;
    for (const std::string& spec : of.specs) {
      context.progress.report("R1: " + spec, done);
      done += 1.0 / 11;
      statistics::GrowthPoint w, g;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Measured m = measure(with_seed(spec, setting.seed + seed), examples, context);
        w.x += m.stable_rank / static_cast<double>(seeds);
        w.y.push_back(m.worst);
        g.y.push_back(m.generic);
      }
      g.x = w.x;
      worst.push_back(std::move(w));
      generic.push_back(std::move(g));
    }
    const statistics::Estimate slope = add_errors(of, "worst W", worst, figure, out);
    falls = falls && slope.interval.high < 0;
    fails = fails || slope.interval.low > 0;
    add_errors(of, "the layer's W", generic, figure, out);
  }
  out.verdict = falls   ? report::Verdict::holds
                : fails ? report::Verdict::does_not_hold
                        : report::Verdict::inconclusive;
  out.figures.push_back(std::move(figure));
  return out;
}

}  // namespace

Experiment claims::w_sum_error() {
  return {.id = "R1",
          .title = "One gradient step finds W_sum up to 1/poly(stable rank)",
          .claim =
              "With attention frozen at uniform, one gradient step on W estimates W_sum = sum_i W_i up to a "
              "relative error that does not vanish with more examples and is an inverse power of the stable "
              "rank of Theta_i.",
          .source = "Chen and Li, arXiv 2402.04084, phase 1; also the talk",
          .method =
              "The error that infinitely many examples leave, from two steps on disjoint examples, whose "
              "sampling errors are independent; ||Theta_i|| = 2. The bound is for every W, so the error is "
              "measured for the W that is worst for a Theta (one head), and beside it for "
              "the layer's own Gaussian W (two heads). The stable rank r is moved by d (nice layers) and by "
              "the rank of Theta at fixed d. 10 seeds, two times a million examples; quick: 3 seeds, two "
              "times 100,000.",
          .criterion =
              "In ln(error) = a + b ln(r), fitted to each series by least squares, b is below 0 with its 95% "
              "interval, for the worst W.",
          .quick_seconds = 25,
          .full_seconds = 1000,
          .perform = perform_w_sum_error};
}

}  // namespace hardhead::experiments
