#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/claims/experiment.h"
#include "experiments/smoothing_attack.h"
#include "hardness/families/family.h"
#include "statistics/binomial_interval.h"
#include "statistics/median.h"
#include "study/problem/source.h"

namespace hardhead::experiments {
namespace {

constexpr int smoothed_d = 20, smoothed_m = 6;

struct SmoothingPoint {
  std::string where;  ///< "w", "theta"
  double sigma = 0;
  double noise = 0;  ///< standard deviation of Gaussian noise on labels

  std::string spec() const {
    return fmt::format("smoothed:d={},m={},where={},sigma={}", smoothed_d, smoothed_m, where, sigma);
  }
};

/// The least of 1000, 2000, 4000, .. examples from which correlations read the hidden set, here and with all
/// of the next; empty if not up to `most`.
std::optional<double> examples_to_read(const SmoothingPoint& point, std::uint64_t seed, std::int64_t most,
                                       const RunContext& context) {
  constexpr Eigen::Index block_size = 1000;
  const hardness::Instance instance = hardness::make_instance(Spec::parse(with_seed(point.spec(), seed)));
  const auto source = study::examples_of(instance, Domain::samples, seed);
  const Stream noise(Domain::samples, seed, "noise on labels of smoothed layers");
  SmoothingCorrelations correlations(instance.layer.d);
  std::optional<double> out;
  std::int64_t next = block_size;
  for (std::int64_t first = 0; first < most; first += block_size) {
    context.stop.check();
    attention::Block block(instance.layer.d, 2, block_size);
    source->read(first, block);
    if (point.noise > 0) {
      std::vector<double> errors(static_cast<std::size_t>(block.y.size()));
      noise.normals(static_cast<std::uint64_t>(first / block_size), errors);
      block.y +=
          point.noise * Eigen::Map<const attention::RowMatrix>(errors.data(), block.y.rows(), block.y.cols());
    }
    correlations.add(block);
    if (first + block_size != next) continue;
    const bool right = std::ranges::equal(correlations.likeliest(smoothed_m), instance.hidden);
    if (!right) out.reset();
    if (right && !out)
      out = static_cast<double>(next);
    else if (right)
      return out;  // twice in a row
    next *= 2;
  }
  return out;
}

Evidence perform_smoothing(const Setting& setting, const RunContext& context) {
  const std::vector<double> sigmas =
      setting.quick ? std::vector{0.0, 1e-6, 1e-2} : std::vector{0.0, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0};
  const std::vector<double> noises = setting.quick ? std::vector{0.0} : std::vector{0.0, 1e-4, 1e-2};
  const std::int64_t seeds = setting.quick ? 2 : 7, most = setting.quick ? 8000 : 512'000;
  Evidence out;
  out.table.columns = {"instance", "noise on labels", "read", "examples (median)", "95% low", "95% high"};
  report::Figure figure{
      "smoothing",
      fmt::format("Examples from which correlations read S (d = {}, m = {})", smoothed_d, smoothed_m),
      {"sigma", true},
      {"examples (median)", true},
      {}};
  double done = 0;
  out.verdict = report::Verdict::holds;
  for (const std::string where : {"w", "theta"})
    for (const double noise : noises) {
      report::FigureCurve curve{fmt::format("noise on {}, labels {}", where == "w" ? "W" : "Theta",
                                            noise == 0 ? "exact" : fmt::format("off by {}", noise)),
                                {}};
      for (const double sigma : sigmas) {
        context.progress.report(fmt::format("R18: {}, sigma {}, noise {}", where, sigma, noise), done);
        done += 0.5 / static_cast<double>(noises.size() * sigmas.size());
        const SmoothingPoint point{where, sigma, noise};
        std::vector<double> examples;
        for (std::int64_t i = 0; i < seeds; ++i)
          if (const auto read =
                  examples_to_read(point, setting.seed + static_cast<std::uint64_t>(i), most, context))
            examples.push_back(*read);
        const auto count = std::ssize(examples);
        const statistics::Interval share = statistics::clopper_pearson(count, seeds);
        if (sigma == 0) out.verdict = report::all_of({out.verdict, report::at_most(share, 0.5)});
        if (where == "w" && sigma > 0 && noise == 0)
          out.verdict = report::all_of({out.verdict, report::at_least(share, 0.5)});
        while (std::ssize(examples) < seeds) examples.push_back(INFINITY);
        const double median = statistics::median(examples);
        const auto interval = statistics::median_interval(examples);
        const auto text = [](double value) {
          return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("-");
        };
        out.table.add({point.spec(), fmt::format("{}", noise), fmt::format("{} of {}", count, seeds),
                       text(median), interval ? text(interval->low) : "-",
                       interval ? text(interval->high) : "-"});
        curve.points.push_back({sigma, median, interval});
        out.reason += fmt::format("{}{} sigma {} noise {}: {} of {}", out.reason.empty() ? "" : "; ", where,
                                  sigma, noise, count, seeds);
      }
      figure.curves.push_back(std::move(curve));
    }
  out.figures = {std::move(figure)};
  return out;
}

}  // namespace

Experiment claims::smoothing() {
  return {
      .id = "R18",
      .title = "Hardness without noise sits on a set of measure zero",
      .claim =
          "Gaussian noise on the weights of a hard layer, however little, lets correlations of low degree "
          "read what it hides from exact labels. Noise on labels takes that away again.",
      .source = "this project: experiments/smoothing_attack.h, hardness/smoothed/perturbed_layer.h",
      .method =
          "Family smoothed, d = 20, m = 6: noise of sigma = 0 and 1e-8 .. 1 on W or on Theta (quick: "
          "0, 1e-6, 0.01), labels by high precision, exact or with Gaussian noise of deviation 1e-4 "
          "or 0.01 (quick: exact). The least of 1000, 2000, .. 512,000 examples (quick: 8000) from "
          "which correlations of degree 3 read the hidden set, and from twice as many again; 7 seeds "
          "(quick: 2).",
      .criterion =
          "By exact 95% intervals over seeds: at sigma = 0 at most half of the sets are read; with exact "
          "labels and each sigma above 0 on W at least half of them are.",
      .quick_seconds = 60,
      .full_seconds = 6000,
      .perform = perform_smoothing};
}

}  // namespace hardhead::experiments
