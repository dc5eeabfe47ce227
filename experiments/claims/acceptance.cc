#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/samples/sample_source.h"
#include "base/error.h"
#include "base/statistics/growth.h"
#include "experiments/claims/registered_claims.h"
#include "hardness/families/family.h"
#include "learner/certificate/harvest.h"

namespace hardhead::experiments {
namespace {

using attention::Index;

attention::Layer layer_of(const std::string& spec) {
  return hardness::make_instance(Spec::parse(spec)).layer;
}

// A cell's layers: as many seeds, which share its examples among them.
int layers_of(const Setting& setting) {
  return setting.quick ? 4 : 8;
}

// The `keep` smallest scores of phase 2's certificate (learner/certificate/harvest.h) under the true W_sum,
// ascending, over all k rows of each of `examples` Boolean examples, which `seed` draws.
std::vector<double> certificate_scores(const attention::Layer& layer, Index k, std::int64_t examples,
                                       std::int64_t keep, std::uint64_t seed, const RunContext& context) {
  const attention::SimulatedSource source(std::make_shared<attention::LayerTeacher>(layer), layer.d, k,
                                          attention::Inputs::boolean,
                                          Stream(Domain::samples, seed, "acceptance"));
  const learner::Harvest found =
      learner::harvest({source, 0, examples}, layer.w_sum(), {.keep = keep}, context, "acceptance");
  std::vector<double> out;
  for (const learner::ScoredRow& row : found.rows) out.push_back(row.score);
  return out;
}

// Scores of each layer of a cell.
std::vector<std::vector<double>> scores_of(const std::string& spec, Index k, const Setting& setting,
                                           std::int64_t examples, std::int64_t keep,
                                           const RunContext& context) {
  std::vector<std::vector<double>> out;
  for (const std::uint64_t seed : seeds_of(setting, layers_of(setting)))
    out.push_back(certificate_scores(layer_of(with_seed(spec, seed)), k, examples / layers_of(setting),
                                     keep / layers_of(setting), seed, context));
  return out;
}

// P(score <= eps) at some forty of the scores, evenly on a log axis: each 1.2 times as far as the last,
// rounded up.
report::FigureCurve law(std::string label, const std::vector<double>& scores, double rows) {
  report::FigureCurve curve{std::move(label), {}, report::FigureCurve::Style::line};
  for (std::size_t rank = 1; rank <= scores.size(); rank = (6 * rank + 4) / 5)
    curve.points.push_back({scores[rank - 1], static_cast<double>(rank) / rows});
  return curve;
}

// The slope that theory predicts, through the last point of a curve and down by two decades.
report::FigureCurve predicted_slope(const report::FigureCurve& curve, int exponent) {
  const report::FigurePoint& last = curve.points.back();
  return {fmt::format("slope {}", exponent),
          {last, {last.x * std::pow(10.0, -2.0 / exponent), last.y / 100}},
          report::FigureCurve::Style::line,
          report::FigureCurve::Kind::slope,
          curve.heads};
}

// Adds the exponents of several sizes to the evidence. Are their intervals within a tenth of (m - 1)(k - 1)?
report::Verdict measure_exponents(const Setting& setting, const RunContext& context, Evidence& out) {
  const std::int64_t examples = setting.quick ? 2'000'000 : 16'000'000, keep = setting.quick ? 1000 : 2000;
  report::Figure laws{"law",
                      "How rare rows are on which all heads agree to eps (a layer of each size)",
                      {"eps (certificate's score, logits)", true},
                      {"P(score <= eps)", true}};
  report::Verdict within = report::Verdict::holds;
  double done = 0;
  for (const auto& [m, k, d] : {std::tuple{2, 2, 16}, {2, 3, 16}, {3, 2, 16}, {2, 4, 16}, {4, 2, 32}}) {
    const std::string spec = fmt::format("nice:d={},k={},m={}", d, k, m);
    done += 0.12;
    context.progress.report("R3: " + spec, done);
    const auto scores = scores_of(spec, k, setting, examples, keep, context);
    const statistics::Estimate b = statistics::tail_exponent(scores);
    const int predicted = (m - 1) * (k - 1);
    within = report::all_of({within, report::within(b.interval, 0.9 * predicted, 1.1 * predicted)});
    out.table.add({spec, "exponent of eps", fmt::format("{:.3f}", b.value),
                   fmt::format("{:.3f} .. {:.3f}", b.interval.low, b.interval.high),
                   fmt::format("{}", predicted)});
    out.reason +=
        fmt::format("{}{:.2f} for {}", out.reason.empty() ? "exponents " : ", ", b.value, predicted);
    laws.curves.push_back(law(fmt::format("m = {}, k = {}", m, k), scores.front(),
                              static_cast<double>(examples / layers_of(setting) * k)));
    laws.curves.back().heads = m;
    const report::FigureCurve slope = predicted_slope(laws.curves.back(), predicted);
    laws.curves.push_back(slope);
  }
  out.figures.push_back(std::move(laws));
  return within;
}

// The exponent b of P(score <= eps) ~ eps^b from how many of the rows below ten times eps are below eps: a
// binomial share.
statistics::Estimate exponent_between(const std::vector<std::vector<double>>& scores, double eps,
                                      double ten_times) {
  const auto below = [&](double limit) {
    std::int64_t count = 0;
    for (const std::vector<double>& layer : scores)
      count += std::ranges::upper_bound(layer, limit) - layer.begin();
    return count;
  };
  const std::int64_t far = below(eps), near = below(ten_times);
  const statistics::Interval share = statistics::clopper_pearson(far, near);
  return {-std::log10(static_cast<double>(far) / static_cast<double>(near)),
          {-std::log10(share.high), -std::log10(share.low)}};
}

// The layer with entries of Theta_i replaced by +-s, their signs kept, s = ||Theta_i|| / d: logits are sums
// of signs.
attention::Layer arithmetic(attention::Layer layer) {
  for (attention::Head& head : layer.heads) {
    const double s = head.theta.norm() / static_cast<double>(layer.d);
    head.theta = head.theta.unaryExpr([s](double entry) { return entry < 0 ? -s : s; });
  }
  return layer;
}

// The share of rows on which heads with entries +-s agree exactly (a score below 1e-9), over a cell's layers.
double mean_atom(const std::string& spec, const Setting& setting, std::int64_t examples,
                 const RunContext& context) {
  constexpr Index k = 2;
  constexpr std::int64_t keep = 100'000;
  const std::int64_t each = examples / layers_of(setting);
  double sum = 0;
  for (const std::uint64_t seed : seeds_of(setting, layers_of(setting))) {
    const std::vector<double> scores =
        certificate_scores(arithmetic(layer_of(with_seed(spec, seed))), k, each, keep, seed, context);
    const auto agreeing = std::ranges::upper_bound(scores, 1e-9) - scores.begin();
    if (agreeing == keep)
      throw InputError(
          fmt::format("acceptance: {} rows or more of {} examples agree: take fewer", keep, each));
    sum += static_cast<double>(agreeing) / static_cast<double>(each * k);
  }
  return sum / layers_of(setting);
}

// Far below 1/sqrt(d): ten times fewer rows for ten times smaller eps, or an atom. Does the law go on there,
// and do entries +-s have an atom?
report::Verdict measure_far_below(const Setting& setting, const RunContext& context, Evidence& out) {
  report::Figure bottleneck{
      "bottleneck",
      "Below 1/sqrt(d), where a plain central limit theorem says nothing (m = 2, k = 2)",
      {"eps (certificate's score, logits)", true},
      {"P(score <= eps)", true}};
  std::vector<statistics::GrowthPoint> atoms;
  report::Verdict continues = report::Verdict::holds;
  bool breaks = true;
  double done = 0.6;
  for (const int d : {16, 32, 64}) {
    const std::string spec = fmt::format("nice:d={},k=2,m=2", d);
    done += 0.12;
    context.progress.report("R3: lattice, " + spec, done);
    constexpr std::int64_t fewer = 400'000, all_below = 100'000;  // more rows than lie below 1/(10 sqrt d)
    const auto scores = scores_of(spec, 2, setting, fewer, all_below, context);
    const double edge = 1 / std::sqrt(static_cast<double>(d));
    const statistics::Estimate local = exponent_between(scores, edge / 100, edge / 10);
    const double atom = mean_atom(spec, setting, fewer, context);
    continues = report::all_of({continues, report::within(local.interval, 0.85, 1.15)});
    breaks = breaks && atom > 0;
    out.table.add({spec, "exponent between 1/(100 sqrt d) and 1/(10 sqrt d)",
                   fmt::format("{:.3f}", local.value),
                   fmt::format("{:.3f} .. {:.3f}", local.interval.low, local.interval.high), "1"});
    out.table.add({spec + ", entries +-s", "share of rows that agree exactly", fmt::format("{:.3g}", atom),
                   "-", "0 if not arithmetic"});
    bottleneck.curves.push_back(law(fmt::format("nice, d = {}", d), scores.front(),
                                    static_cast<double>(2 * fewer / layers_of(setting))));
    bottleneck.levels.push_back({fmt::format("atom of entries +-s, d = {}", d), atom});
    atoms.push_back({static_cast<double>(d), {atom}});
  }
  out.reason += fmt::format(
      "; the law goes on at 1/(100 sqrt d): {}; entries +-s have an atom at 0: {}, which falls as d^{:.2f}",
      continues == report::Verdict::holds          ? "yes"
      : continues == report::Verdict::inconclusive ? "not known to 0.15"
                                                   : "no",
      breaks ? "yes" : "no", statistics::fit_growth(atoms).power.rate.value);
  out.figures.push_back(std::move(bottleneck));
  return report::all_of({continues, report::decided(breaks)});
}

Evidence perform_acceptance(const Setting& setting, const RunContext& context) {
  Evidence out;
  out.table.columns = {"instance", "what", "measured", "95% interval", "theory"};
  const report::Verdict within = measure_exponents(setting, context, out);
  out.verdict = report::all_of({within, measure_far_below(setting, context, out)});
  return out;
}

}  // namespace

Experiment claims::acceptance() {
  return {
      .id = "R3",
      .title = "Rows on which all heads agree to eps come with probability eps^((m-1)(k-1))",
      .claim =
          "All heads attend alike, to eps in logits, with probability about eps^((m-1)(k-1)): the source "
          "of the cost in m. It needs a local limit theorem, for eps far below the 1/sqrt(d) that a "
          "plain central limit theorem resolves, and with it entries of Theta that are not close to a "
          "lattice.",
      .source =
          "Chen and Li, arXiv 2402.04084, phase 2 and the non-arithmetic condition; the exponent as in "
          "the talk",
      .method =
          "Certificate scores under the true W_sum, Boolean inputs, ||Theta_i|| = 2; the exponent by "
          "Hill's estimator on the smallest scores of eight layers of a size, pooled. Below 1/sqrt(d): the "
          "exponent between 1/(100 sqrt d) and 1/(10 sqrt d). The lattice: entries of Theta replaced by "
          "+-s. 16 million examples of a size; quick: 2 million, four layers.",
      .criterion =
          "The 95% intervals of the exponents are within 10% of (m-1)(k-1), and within 0.15 of 1 below "
          "1/sqrt(d) at m = k = 2; with entries +-s a positive share of rows agrees exactly.",
      .quick_seconds = 15,
      .full_seconds = 60,
      .perform = perform_acceptance};
}

}  // namespace hardhead::experiments
