#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/binomial_interval.h"
#include "base/statistics/median.h"
#include "experiments/attacks/smoothing_attack.h"
#include "experiments/claims/registered_claims.h"
#include "experiments/cost_cells.h"
#include "hardness/families/family.h"
#include "study/problem/source.h"

namespace hardhead::experiments {
namespace {

using attention::Index;

constexpr int smoothed_d = 20, smoothed_m = 6;

struct SmoothingPoint {
  std::string where = "w";  ///< "w", "theta"
  double sigma = 0, temperature = 1;

  std::string spec() const {
    return fmt::format("smoothed:d={},m={},where={},sigma={},temperature={}", smoothed_d, smoothed_m, where,
                       sigma, temperature);
  }
};

/// Layers along one axis, each with its place on it.
struct SmoothingSeries {
  std::string label;
  std::vector<std::pair<double, SmoothingPoint>> points;
  std::vector<double> noises;  ///< standard deviations of Gaussian noise on labels, each a curve

  std::string label_with(double noise) const {
    return fmt::format("{}, labels {}", label, noise == 0 ? "exact" : fmt::format("off by {}", noise));
  }
};

std::vector<SmoothingSeries> smoothing_series(bool quick) {
  const std::vector<double> sigmas =
      quick ? std::vector{0.0, 1e-6, 1e-2} : std::vector{0.0, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0};
  const std::vector<double> noises = quick ? std::vector{0.0} : std::vector{0.0, 1e-4, 1e-2};
  std::vector<SmoothingSeries> out;
  for (const std::string where : {"w", "theta"}) {
    out.push_back({fmt::format("noise on {}", where == "w" ? "W" : "Theta"), {}, noises});
    for (const double sigma : sigmas) out.back().points.push_back({sigma, {.where = where, .sigma = sigma}});
  }
  out.push_back({"temperature 1 + this", {}, {0.0}});
  for (const double more : quick ? std::vector{1e-2} : std::vector{1e-6, 1e-4, 1e-2, 0.1, 1.0})
    out.back().points.push_back({more, {.temperature = 1 + more}});
  return out;
}

/// Reads the hidden set off labels with Gaussian noise, from 1000, 2000, 4000, .. examples.
class SmoothingReader {
 public:
  SmoothingReader(double noise, Index d) : noise_(noise), correlations_(d) {}

  bool decided() const { return twice_; }
  /// The least number from which the set was read, here and with all of the next; empty if there is none.
  std::optional<double> examples() const { return twice_ ? first_ : std::nullopt; }

  /// Takes a block, with labels off by noise times `normals`.
  void add(attention::Block block, const attention::RowMatrix& normals) {
    if (noise_ > 0) block.y += noise_ * normals;
    correlations_.add(block);
  }

  void check(std::int64_t examples, const std::vector<Index>& hidden) {
    const bool right = std::ranges::equal(correlations_.likeliest(smoothed_m), hidden);
    twice_ = right && first_;
    if (!right)
      first_.reset();
    else if (!first_)
      first_ = static_cast<double>(examples);
  }

 private:
  double noise_;
  SmoothingCorrelations correlations_;
  std::optional<double> first_{};
  bool twice_ = false;
};

/// For each noise on the labels, the examples from which the hidden set is read, of `most` at most.
std::vector<std::optional<double>> examples_to_read(const SmoothingPoint& point,
                                                    const std::vector<double>& noises, std::uint64_t seed,
                                                    std::int64_t most, const RunContext& context) {
  constexpr Index block_size = 1000;
  const hardness::Instance instance = hardness::make_instance(Spec::parse(with_seed(point.spec(), seed)));
  const auto source = study::examples_of(instance, Domain::samples, seed);
  const Stream noise(Domain::samples, seed, "noise on labels of smoothed layers");
  std::vector<SmoothingReader> readers;
  for (const double size : noises) readers.emplace_back(size, instance.layer.d);
  std::int64_t next = block_size;
  for (std::int64_t first = 0; first < most; first += block_size) {
    if (std::ranges::all_of(readers, &SmoothingReader::decided)) break;
    context.stop.check();
    attention::Block block(instance.layer.d, 2, block_size);
    source->read(first, block);
    attention::RowMatrix normals(block.y.rows(), block.y.cols());
    noise.normals(static_cast<std::uint64_t>(first / block_size),
                  std::span(normals.data(), static_cast<std::size_t>(normals.size())));
    for (SmoothingReader& reader : readers) {
      if (reader.decided()) continue;
      reader.add(block, normals);
      if (first + block_size == next) reader.check(next, instance.hidden);
    }
    if (first + block_size == next) next *= 2;
  }
  std::vector<std::optional<double>> out;
  for (const SmoothingReader& reader : readers) out.push_back(reader.examples());
  return out;
}

/// How many seeds' hidden sets are read, and from how many examples.
struct SmoothingRead {
  std::int64_t sets = 0, seeds = 0;
  statistics::Interval share{};
  double examples = INFINITY;  ///< median
  std::optional<statistics::Interval> interval{};
};

SmoothingRead summary_of(const std::vector<std::optional<double>>& reads) {
  SmoothingRead out{.seeds = std::ssize(reads)};
  std::vector<double> examples;
  for (const auto& read : reads) {
    examples.push_back(read.value_or(INFINITY));
    out.sets += read ? 1 : 0;
  }
  out.share = statistics::clopper_pearson(out.sets, out.seeds);
  out.examples = statistics::median(examples);
  out.interval = statistics::median_interval(examples);
  return out;
}

/// For each noise of the series, what is read of the layers of a point.
std::vector<SmoothingRead> read_sets(const SmoothingPoint& point, const std::vector<double>& noises,
                                     const Setting& setting, const RunContext& context) {
  const std::uint64_t seeds = setting.quick ? 2 : 7;
  const std::int64_t most = setting.quick ? 8000 : 512'000;
  std::vector<std::vector<std::optional<double>>> reads(noises.size());
  for (std::uint64_t i = 0; i < seeds; ++i) {
    const auto of_seed = examples_to_read(point, noises, setting.seed + i, most, context);
    for (std::size_t j = 0; j < noises.size(); ++j) reads[j].push_back(of_seed[j]);
  }
  std::vector<SmoothingRead> out;
  for (const auto& of_noise : reads) out.push_back(summary_of(of_noise));
  return out;
}

/// What the layers cost a gradient learner that is told that the parity layer's Theta_i are diagonal: a curve
/// against noise on W, and one against noise on Theta. Both have the layer without noise, which is one.
std::vector<report::FigureCurve> smoothed_cells(const Setting& setting, report::Table& table,
                                                const RunContext& context) {
  const std::string method =
      fmt::format("adam:theta=diagonal,student={},batch={},schedule=constant,until=0.01", learning_student,
                  learning_batch);
  std::vector<SmoothingPoint> points;
  if (!setting.quick) points.push_back({.sigma = 0});
  for (const std::string where : {"w", "theta"})
    for (const double sigma : setting.quick ? std::vector{1.0} : std::vector{1e-2, 0.1, 1.0})
      points.push_back({.where = where, .sigma = sigma});
  std::vector<report::FigureCurve> curves{{"adam, diagonal: noise on W", {}},
                                          {"adam, diagonal: noise on Theta", {}}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SmoothingPoint& point = points[i];
    context.progress.report("R18: adam on " + point.spec(),
                            0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(points.size()));
    const CellPlan plan{.seeds = setting.quick ? 1 : 3, .most = setting.quick ? 500 : 10'000};
    const CostCell cell = learning_cell(
        {.learner = "adam, diagonal", .source = point.spec(), .d = smoothed_d, .k = 2, .m = smoothed_m},
        method, plan, setting, context);
    const auto median = cell.median();
    const auto learnt = std::ssize(cell.seconds);
    table.add({point.spec(), "adam, diagonal", "0", fmt::format("{} of {}", learnt, cell.costs.size()),
               median ? fmt::format("{:.6g}", *median) : "-", "-", "-"});
    if (median) curves[point.where == "w" ? 0 : 1].points.push_back({point.sigma, *median, cell.range()});
  }
  return curves;
}

/// What the claim says of a point.
report::Verdict smoothing_verdict(const SmoothingPoint& point, double noise, const SmoothingRead& read) {
  if (point.sigma == 0 && point.temperature == 1) return report::at_most(read.share, 0.5);
  if (point.where == "w" && point.sigma > 0 && noise == 0) return report::at_least(read.share, 0.5);
  return report::Verdict::holds;
}

Evidence perform_smoothing(const Setting& setting, const RunContext& context) {
  Evidence out;
  out.table.columns = {"instance",          "by",      "noise on labels", "read",
                       "examples (median)", "95% low", "95% high"};
  report::Figure shares{
      "read",
      fmt::format("Hidden sets that correlations read (d = {}, m = {})", smoothed_d, smoothed_m),
      {"sigma", true},
      {"share of sets", false, 0, 1}};
  report::Figure examples{
      "smoothing",
      fmt::format("Examples until S is read, or adam learns (d = {}, m = {})", smoothed_d, smoothed_m),
      {"sigma", true},
      {"examples (median)", true}};
  double done = 0;
  out.verdict = report::Verdict::holds;
  const std::vector<SmoothingSeries> all = smoothing_series(setting.quick);
  for (const SmoothingSeries& series : all) {
    std::vector<report::FigureCurve> read_share, read_from;
    for (const double noise : series.noises) {
      read_share.push_back({series.label_with(noise), {}});
      read_from.push_back({series.label_with(noise), {}});
    }
    for (const auto& [x, point] : series.points) {
      context.progress.report(fmt::format("R18: {}, {}", series.label, x), done);
      done += 0.5 / static_cast<double>(all.size() * series.points.size());
      const std::vector<SmoothingRead> reads = read_sets(point, series.noises, setting, context);
      for (std::size_t j = 0; j < reads.size(); ++j) {
        const SmoothingRead& read = reads[j];
        out.verdict = report::all_of({out.verdict, smoothing_verdict(point, series.noises[j], read)});
        const auto text = [](double value) {
          return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("-");
        };
        out.table.add({point.spec(), "correlations", fmt::format("{}", series.noises[j]),
                       fmt::format("{} of {}", read.sets, read.seeds), text(read.examples),
                       read.interval ? text(read.interval->low) : "-",
                       read.interval ? text(read.interval->high) : "-"});
        read_share[j].points.push_back(
            {x, static_cast<double>(read.sets) / static_cast<double>(read.seeds), read.share});
        if (std::isfinite(read.examples)) read_from[j].points.push_back({x, read.examples, read.interval});
        out.reason += fmt::format("{}{}, {}: {}", out.reason.empty() ? "" : "; ",
                                  series.label_with(series.noises[j]), x, read.sets);
      }
    }
    std::ranges::move(read_share, std::back_inserter(shares.curves));
    std::ranges::move(read_from, std::back_inserter(examples.curves));
  }
  std::ranges::move(smoothed_cells(setting, out.table, context), std::back_inserter(examples.curves));
  std::erase_if(examples.curves, [](const report::FigureCurve& curve) { return curve.points.empty(); });
  out.figures = {std::move(shares), std::move(examples)};
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
          "diagonal, has a held-back error of 0.01 at sigma = 0, 0.01, 0.1, 1 (quick: 1), 5.1 million at "
          "most (quick: 256,000), 3 seeds, the best of three rates on two other layers.",
      .criterion =
          "By exact 95% intervals over seeds: at sigma = 0 at most half of the sets are read; with exact "
          "labels and each sigma above 0 on W at least half of them are.",
      .quick_seconds = 60,
      .full_seconds = 4500,
      .perform = perform_smoothing};
}

}  // namespace hardhead::experiments
