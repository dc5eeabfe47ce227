#include <fmt/format.h>

#include <boost/multiprecision/mpfr.hpp>
#include <cmath>
#include <map>
#include <stdexcept>

#include "attention/samples/inputs.h"
#include "base/numeric/random.h"
#include "base/statistics/growth.h"
#include "base/statistics/median.h"
#include "experiments/claims/registered_claims.h"
#include "hardness/families/family.h"

namespace hardhead::experiments {
namespace {

using attention::Index;
using attention::Vector;
using boost::multiprecision::mpfr_float_100;
using Logits = std::vector<mpfr_float_100>;

// All of softmax but its largest entry, token 0's. These are tiny numbers with a hundred digits of their own;
// the entry left out is 1 minus their sum.
Logits small_weights(const Logits& logits) {
  Logits out;
  mpfr_float_100 total = 1;
  for (std::size_t j = 1; j < logits.size(); ++j) total += out.emplace_back(exp(logits[j] - logits[0]));
  for (mpfr_float_100& weight : out) weight /= total;
  return out;
}

// ||softmax(a) - softmax(b)||_1, token 0 the largest in both.
mpfr_float_100 difference(const Logits& a, const Logits& b) {
  const Logits p = small_weights(a), q = small_weights(b);
  mpfr_float_100 total = 0, signed_total = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    total += abs(p[j] - q[j]);
    signed_total += p[j] - q[j];
  }
  return total + abs(signed_total);
}

mpfr_float_100 margin(const Logits& logits) {
  return logits[0] - *std::max_element(logits.begin() + 1, logits.end());
}

// Logits of k tokens with margin `gap`, the others below at random, and the same with every one off by up to
// a fifth of the gap.
std::pair<Logits, Logits> draw_pair(std::size_t k, double gap, const Stream& stream, std::uint64_t item) {
  std::vector<double> uniforms(2 * k);
  stream.uniforms(item, uniforms);
  Logits a{gap, 0}, b;
  while (a.size() < k) a.emplace_back(-gap * uniforms[a.size()]);
  for (std::size_t j = 0; j < k; ++j) b.emplace_back(a[j] + gap / 5 * (2 * uniforms[k + j] - 1));
  return {a, b};
}

// Rows of a layer by the least margin of their heads: || y_r - W_sum^T x_j* || / || W_sum^T x_j* ||.
std::map<int, std::vector<double>> row_errors(const hardness::Instance& instance, Index examples,
                                              std::uint64_t seed) {
  attention::Block block(instance.layer.d, instance.k, examples);
  attention::draw_tokens(instance.inputs, Stream(Domain::samples, seed, "R5"), 0, block);
  instance.teacher->label(block);
  const attention::Matrix w_sum = instance.layer.w_sum();
  std::map<int, std::vector<double>> by_margin;
  for (Index e = 0; e < examples; ++e)
    for (Index r = 0; r < instance.k; ++r) {
      double least = std::numeric_limits<double>::infinity();
      Index top = -1;
      for (const attention::Head& head : instance.layer.heads) {
        Vector logits(instance.k);
        for (Index a = 0; a < instance.k; ++a)
          logits(a) = block.x.col(block.column(r, e)).dot(head.theta * block.x.col(block.column(a, e)));
        Index at = 0;
        const double largest = logits.maxCoeff(&at);
        logits(at) = -std::numeric_limits<double>::infinity();
        least = top < 0 || top == at ? std::min(least, largest - logits.maxCoeff()) : 0;
        top = at;
      }
      if (least < 1) continue;
      const Vector target = w_sum.transpose() * block.x.col(block.column(top, e));
      by_margin[static_cast<int>(least)].push_back((block.y.col(block.column(r, e)) - target).norm() /
                                                   target.norm());
    }
  return by_margin;
}

std::string text(const mpfr_float_100& x) {
  return fmt::format("{:.2e}", x.convert_to<double>());
}

// The rate at which y falls with x, e^(-rate x).
statistics::Estimate rate_of_fall(const std::vector<statistics::GrowthPoint>& points) {
  const statistics::Estimate growth = statistics::fit_growth(points).exponential.rate;
  return {-growth.value, {-growth.interval.high, -growth.interval.low}};
}

// Random logits, margin by margin: the rate at which the largest differences fall. Throws where one is
// beyond its bound, which is a theorem.
statistics::Estimate measure_softmaxes(int cases, std::uint64_t seed, const RunContext& context,
                                       Evidence& out) {
  const Stream stream(Domain::samples, seed, "R5 logits");
  report::FigureCurve random{"logits off by up to a fifth, largest of the cases", {}},
      bound{
          "2 (k-1) e^-margin, k = 8", {}, report::FigureCurve::Style::line, report::FigureCurve::Kind::bound};
  std::vector<statistics::GrowthPoint> points;
  for (const int gap : {5, 10, 20, 40, 80, 160, 320}) {
    context.progress.report("R5: logits", gap / 640.0);
    mpfr_float_100 worst = 0, worst_bound = 0, least_margin = gap;
    for (int i = 0; i < cases; ++i) {
      context.stop.check();
      const std::size_t k = 2 + static_cast<std::size_t>(i) % 7;
      const auto [a, b] =
          draw_pair(k, gap, stream, 10'000 * static_cast<std::uint64_t>(gap) + static_cast<std::uint64_t>(i));
      const mpfr_float_100 least = std::min(margin(a), margin(b)), found = difference(a, b);
      const mpfr_float_100 allowed = 2 * (static_cast<double>(k) - 1) * exp(-least);
      if (found > allowed) throw std::logic_error("R5: a softmax moves further than 2 (k-1) e^-margin");
      worst = std::max(worst, found);
      least_margin = std::min(least_margin, least);
      worst_bound = std::max(worst_bound, allowed);
    }
    const auto x = least_margin.convert_to<double>();
    out.table.add({"random logits, k = 2 .. 8", fmt::format("{:.3g}", x), text(worst), text(worst_bound),
                   fmt::format("{}", cases)});
    random.points.push_back({x, worst.convert_to<double>()});
    bound.points.push_back({x, 14 * std::exp(-x)});
    points.push_back({x, {worst.convert_to<double>()}});
  }
  out.figures.push_back({"softmax",
                         "Large margins shrink errors of the softmax exponentially",
                         {"least margin of the logits"},
                         {"||p - p'||_1", true},
                         {std::move(random), std::move(bound)}});
  return rate_of_fall(points);
}

// Rows of several layers, by seed: the largest distance of a label from W_sum^T x_j* in each unit of margin.
struct LayerRows {
  std::string spec;
  int layers;
  Index examples;  // of each layer
};

// The rate at which labels of rows come near W_sum^T x_j* as margins grow.
statistics::Estimate measure_rows(const LayerRows& of, const Setting& setting, report::Figure& figure,
                                  report::Table& table) {
  std::map<int, std::vector<double>> largest;
  std::map<int, std::size_t> rows;
  for (const std::uint64_t seed : seeds_of(setting, of.layers)) {
    const hardness::Instance instance = hardness::make_instance(Spec::parse(with_seed(of.spec, seed)));
    for (const auto& [gap, values] : row_errors(instance, of.examples, seed)) {
      if (values.size() < 20) continue;
      largest[gap].push_back(std::ranges::max(values));
      rows[gap] += values.size();
    }
  }
  report::FigureCurve curve{of.spec, {}};
  std::vector<statistics::GrowthPoint> points;
  for (const auto& [gap, values] : largest) {
    const double middle = statistics::median(values);
    table.add({fmt::format("rows of {}: distance of y_r from W_sum^T x_j*", of.spec), fmt::format("{}", gap),
               fmt::format("{:.2e}", middle), "-", fmt::format("{}", rows[gap])});
    curve.points.push_back({static_cast<double>(gap), middle});
    points.push_back({static_cast<double>(gap), values});
  }
  figure.curves.push_back(std::move(curve));
  return rate_of_fall(points);
}

Evidence perform_large_margins(const Setting& setting, const RunContext& context) {
  Evidence out;
  out.table.columns = {"what", "margin", "difference", "bound 2(k-1) e^-margin", "cases"};
  const Logits near{100, 2}, far{100'000, 1};
  const mpfr_float_100 talk = difference(near, far), talk_bound = 2 * exp(-margin(near));
  out.table.add({"softmax (100, 2) and (100000, 1)", "98", text(talk), text(talk_bound), "1"});

  const int cases = setting.quick ? 200 : 5'000;
  const statistics::Estimate softmaxes = measure_softmaxes(cases, setting.seed, context, out);
  out.reason =
      fmt::format("(100, 2) and (100000, 1): {}; softmaxes of random logits differ by e^(-{:.3f} margin)",
                  text(talk), softmaxes.value);
  report::Figure figure{"labels",
                        "Large margins: the error of reading W_sum off a row",
                        {"least margin of the heads' logits"},
                        {"distance of y_r from W_sum^T x_j* (relative)", true}};
  out.verdict = report::Verdict::holds;
  for (const char* const spec : {"nice:d=16,k=2,m=2,theta_norm=5", "nice:d=16,k=3,m=2,theta_norm=5",
                                 "nice:d=16,k=2,m=3,theta_norm=5"}) {
    context.progress.report(fmt::format("R5: {}", spec), 0.5);
    context.stop.check();
    const statistics::Estimate rows = measure_rows(
        {spec, setting.quick ? 2 : 6, setting.quick ? 20'000 : 200'000}, setting, figure, out.table);
    out.verdict = report::all_of({out.verdict, report::within(rows.interval, 0.9, 1.1)});
    out.reason += fmt::format("; labels of {} as e^(-{:.3f} margin) ({:.3f} .. {:.3f})", spec, rows.value,
                              rows.interval.low, rows.interval.high);
  }
  out.figures.push_back(std::move(figure));
  return out;
}

}  // namespace

Experiment claims::large_margins() {
  return {
      .id = "R5",
      .title = "Large margins shrink errors exponentially",
      .claim =
          "Where logits have a large margin, a large error of them changes the softmax by an "
          "exponentially small amount: (100, 2) and "
          "(100000, 1) are far apart, their softmaxes are within about e^-98.",
      .source = "The talk on arXiv 2402.04084, phase 3",
      .method =
          "Rows of nice layers of three sizes: the largest distance of a label from W_sum^T x_j*, for "
          "each unit of the heads' least margin, in double; 6 layers of 200,000 examples each, quick: 2 "
          "of 20,000. Beside it, in 100 decimal digits (MPFR), the talk's example and random logits of 2 "
          "to 8 tokens, all off by up to a fifth of the margin. That ||p - p'||_1 <= 2 (k-1) e^-margin "
          "there is a theorem, and decides nothing.",
      .criterion =
          "In a fit of e^(-rate margin) to the distances of labels the 95% interval of the rate is within "
          "0.1 of 1, in each of three sizes.",
      .quick_seconds = 1,
      .full_seconds = 20,
      .perform = perform_large_margins};
}

}  // namespace hardhead::experiments
