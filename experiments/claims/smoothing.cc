#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/attacks/smoothing_attack.h"
#include "experiments/claims/cost_cells.h"
#include "experiments/claims/experiment.h"
#include "hardness/families/family.h"
#include "statistics/binomial_interval.h"
#include "statistics/median.h"
#include "study/problem/source.h"

namespace hardhead::experiments {
namespace {

constexpr int smoothed_d = 20, smoothed_m = 6;

struct SmoothingPoint {
  std::string where = "w";  ///< "w", "theta"
  double sigma = 0, temperature = 1;
  double noise = 0;  ///< standard deviation of Gaussian noise on labels

  std::string spec() const {
    return fmt::format("smoothed:d={},m={},where={},sigma={},temperature={}", smoothed_d, smoothed_m, where,
                       sigma, temperature);
  }
};

/// Points of one curve, each with its place on the axis.
struct SmoothingSeries {
  std::string label;
  std::vector<std::pair<double, SmoothingPoint>> points;
};

std::vector<SmoothingSeries> smoothing_series(bool quick) {
  const std::vector<double> sigmas =
      quick ? std::vector{0.0, 1e-6, 1e-2} : std::vector{0.0, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0};
  const std::vector<double> noises = quick ? std::vector{0.0} : std::vector{0.0, 1e-4, 1e-2};
  std::vector<SmoothingSeries> out;
  for (const std::string where : {"w", "theta"})
    for (const double noise : noises) {
      SmoothingSeries& series =
          out.emplace_back(fmt::format("noise on {}, labels {}", where == "w" ? "W" : "Theta",
                                       noise == 0 ? "exact" : fmt::format("off by {}", noise)));
      for (const double sigma : sigmas)
        series.points.push_back({sigma, {.where = where, .sigma = sigma, .noise = noise}});
    }
  SmoothingSeries& heat = out.emplace_back("temperature 1 + this, labels exact");
  for (const double more : quick ? std::vector{1e-2} : std::vector{1e-6, 1e-4, 1e-2, 0.1, 1.0})
    heat.points.push_back({more, {.temperature = 1 + more}});
  return out;
}

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

/// How many seeds' hidden sets are read, and from how many examples.
struct SmoothingRead {
  std::int64_t sets = 0;
  statistics::Interval share{};
  double examples = INFINITY;  ///< median
  std::optional<statistics::Interval> interval{};
};

SmoothingRead read_sets(const SmoothingPoint& point, const Setting& setting, const RunContext& context) {
  const std::int64_t seeds = setting.quick ? 2 : 7, most = setting.quick ? 8000 : 512'000;
  std::vector<double> examples;
  for (std::int64_t i = 0; i < seeds; ++i)
    if (const auto read =
            examples_to_read(point, setting.seed + static_cast<std::uint64_t>(i), most, context))
      examples.push_back(*read);
  SmoothingRead out{.sets = std::ssize(examples)};
  out.share = statistics::clopper_pearson(out.sets, seeds);
  examples.resize(static_cast<std::size_t>(seeds), INFINITY);
  out.examples = statistics::median(examples);
  out.interval = statistics::median_interval(examples);
  return out;
}

/// What the layers cost a gradient learner that is told that the parity layer's Theta_i are diagonal.
report::FigureCurve smoothed_cells(const std::string& where, const Setting& setting, report::Table& table,
                                   const RunContext& context) {
  const std::string method =
      fmt::format("adam:theta=diagonal,student={},batch={},schedule=constant,until=0.01", learning_student,
                  learning_batch);
  report::FigureCurve curve{fmt::format("adam, diagonal: noise on {}", where == "w" ? "W" : "Theta"), {}};
  for (const double sigma : setting.quick ? std::vector{1.0} : std::vector{0.0, 1e-2, 0.1, 1.0}) {
    const SmoothingPoint point{.where = where, .sigma = sigma};
    context.progress.report("R18: adam on " + point.spec(), 0.9);
    const CellPlan plan{.seeds = setting.quick ? 1 : 3, .most = setting.quick ? 500 : 20'000};
    const CostCell cell = learning_cell(
        {.learner = "adam, diagonal", .source = point.spec(), .d = smoothed_d, .k = 2, .m = smoothed_m},
        method, plan, setting, context);
    const auto median = cell.median();
    const auto learnt = std::ssize(cell.seconds);
    table.add({point.spec(), "adam, diagonal", "0", fmt::format("{} of {}", learnt, cell.costs.size()),
               median ? fmt::format("{:.6g}", *median) : "-", "-", "-"});
    if (median) curve.points.push_back({sigma, *median, cell.range()});
  }
  return curve;
}

Evidence perform_smoothing(const Setting& setting, const RunContext& context) {
  Evidence out;
  out.table.columns = {"instance",          "by",      "noise on labels", "read",
                       "examples (median)", "95% low", "95% high"};
  report::Figure figure{
      "smoothing",
      fmt::format("Examples from which correlations read S, and adam learns (d = {}, m = {})", smoothed_d,
                  smoothed_m),
      {"sigma", true},
      {"examples (median)", true},
      {}};
  double done = 0;
  out.verdict = report::Verdict::holds;
  const std::vector<SmoothingSeries> all = smoothing_series(setting.quick);
  for (const SmoothingSeries& series : all) {
    report::FigureCurve curve{series.label, {}};
    for (const auto& [x, point] : series.points) {
      context.progress.report(fmt::format("R18: {}, {}", series.label, x), done);
      done += 0.9 / static_cast<double>(all.size() * series.points.size());
      const SmoothingRead read = read_sets(point, setting, context);
      if (point.sigma == 0 && point.temperature == 1)
        out.verdict = report::all_of({out.verdict, report::at_most(read.share, 0.5)});
      if (point.where == "w" && point.sigma > 0 && point.noise == 0)
        out.verdict = report::all_of({out.verdict, report::at_least(read.share, 0.5)});
      const auto text = [](double value) {
        return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("-");
      };
      out.table.add({point.spec(), "correlations", fmt::format("{}", point.noise),
                     fmt::format("{} of {}", read.sets, setting.quick ? 2 : 7), text(read.examples),
                     read.interval ? text(read.interval->low) : "-",
                     read.interval ? text(read.interval->high) : "-"});
      curve.points.push_back({x, read.examples, read.interval});
      out.reason += fmt::format("{}{}, {}: {}", out.reason.empty() ? "" : "; ", series.label, x, read.sets);
    }
    figure.curves.push_back(std::move(curve));
  }
  for (const std::string where : {"w", "theta"})
    figure.curves.push_back(smoothed_cells(where, setting, out.table, context));
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
      .source = "this project: experiments/attacks/smoothing_attack.h, hardness/smoothed/perturbed_layer.h",
      .method =
          "Family smoothed, d = 20, m = 6: noise of sigma = 0 and 1e-8 .. 1 on W or on Theta (quick: "
          "0, 1e-6, 0.01), labels by high precision, exact or with Gaussian noise of deviation 1e-4 "
          "or 0.01 (quick: exact); and no noise at temperature 1 + 1e-6 .. 2 (quick: 1.01). The least of "
          "1000, 2000, .. 512,000 examples (quick: 8000) from "
          "which correlations of degree 3 read the hidden set, and from twice as many again; 7 seeds "
          "(quick: 2). Besides, and with no part in the verdict: examples until adam, told that Theta is "
          "diagonal, has a held-back error of 0.01 at sigma = 0, 0.01, 0.1, 1 (quick: 1), 3 seeds, the best "
          "of three rates on two other layers.",
      .criterion =
          "By exact 95% intervals over seeds: at sigma = 0 at most half of the sets are read; with exact "
          "labels and each sigma above 0 on W at least half of them are.",
      .quick_seconds = 60,
      .full_seconds = 6000,
      .perform = perform_smoothing};
}

}  // namespace hardhead::experiments
