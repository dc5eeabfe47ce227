#include "learner/mobius/mobius.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "attention/samples/relative_error.h"
#include "base/run/parallel.h"
#include "learner/mobius/logit_systems.h"
#include "learner/mobius/odds.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

using mobius::Feature;
using mobius::FeatureFinder;
using mobius::FeatureHeads;
using mobius::Join;
using mobius::Points;

struct MobiusOptions {
  Index oversample = 1;
};

/// From X of two equal tokens, rows of a Hadamard matrix (Sylvester's) of which d columns are kept. They are
/// orthogonal, so that an error of tau in the answers is one of about tau in any x W_sum.
Matrix ask_w_sum(ValueOracle& oracle) {
  const Index d = oracle.d(), count = mobius::w_sum_queries(d);
  Block block(d, 2, count);
  for (Index n = 0; n < count; ++n)
    for (Index f = 0; f < d; ++f)
      block.x(f, block.column(0, n)) = block.x(f, block.column(1, n)) =
          std::popcount(static_cast<std::uint64_t>(n & f)) % 2 == 0 ? 1 : -1;
  oracle.ask(block);
  return block.token(0) * (block.label(0) + block.label(1)).transpose() / (2 * static_cast<double>(count));
}

// Progress of a run as one whole, which the phases share about as they do at d = 512.
constexpr double share_of_features = 0.75, share_of_polish = 0.22;

Index flipped_features(const ValueRun& run) {
  return run.values->d() - (run.values->last_is_one() ? 1 : 0);
}

/// What `body` returns. Where there are too few pairs of points for the heads, they are named as the cause of
/// its failure.
template <class Body>
auto with_few_pairs_named(const std::optional<FeatureFinder>& finder, Index d, const Body& body) {
  try {
    return body();
  } catch (const Failed& why) {
    if (!finder || !mobius::has_few_pairs(d, finder->m())) throw;
    throw Failed{fmt::format(
        "d = {} features have {} different pairs of points, too few for relations of {} unknowns, which {} "
        "heads have: {}",
        d, mobius::pairs_of_points(d), mobius::relation_columns(finder->m()), finder->m(), why.message)};
  }
}

std::vector<Feature> find_features(const ValueRun& run, FeatureFinder& finder) {
  std::vector<Feature> out;
  const Index flipped = flipped_features(run);
  while (static_cast<Index>(out.size()) < flipped) {
    const auto first = static_cast<Index>(out.size());
    for (Feature& feature : finder.find(first, std::min(FeatureFinder::at_once, flipped - first)))
      out.push_back(std::move(feature));
    run.context.progress.report(
        "features", share_of_features * static_cast<double>(out.size()) / static_cast<double>(flipped));
  }
  return out;
}

void polish_features(const ValueRun& run, const FeatureFinder& finder, std::vector<Feature>& features) {
  const auto together = static_cast<std::size_t>(mobius::solved_at_once(run.values->d(), finder.m()));
  const std::size_t parts = (features.size() + together - 1) / together;
  std::atomic<std::size_t> done = 0;
  parallel_for_each_index(static_cast<std::int64_t>(parts), [&](std::int64_t part) {
    const std::size_t first = static_cast<std::size_t>(part) * together;
    mobius::polish(std::span(features).subspan(first, std::min(together, features.size() - first)),
                   finder.signs(), run.context.stop);
    run.context.progress.report("polish", share_of_features + share_of_polish * static_cast<double>(++done) /
                                                                  static_cast<double>(parts));
  });
}

std::vector<Join> find_joins(const ValueRun& run, const Matrix& w_sum, const std::vector<Feature>& features) {
  const Index d = run.values->d(), m = features.front().heads.m();
  // What heads that belong together are off by is far below what others are, which is of order 1.
  constexpr double tolerance = 0.1;
  std::vector<Join> out;
  for (Index j = 1; j < static_cast<Index>(features.size()); ++j) {
    const std::vector<Index> both = {0, j};
    const Stream signs(Domain::learner, run.task.seed, fmt::format("mobius join {}", j));
    const Points points = mobius::ask_flips(
        *run.values, w_sum, both, mobius::draw_signs(signs, 0, mobius::join_queries(d, m), d, both));
    out.push_back(mobius::join_features(features.front().heads, features[static_cast<std::size_t>(j)].heads,
                                        points, tolerance, run.context.stop));
    constexpr double before = share_of_features + share_of_polish;
    run.context.progress.report(
        "join", before + (1 - before) * static_cast<double>(j) / static_cast<double>(features.size()));
  }
  return out;
}

Layer layer_of(const ValueRun& run, const Matrix& w_sum, const std::vector<Feature>& features,
               const std::vector<Join>& joins) {
  std::vector<FeatureHeads> heads;
  double scale = 0;
  for (const Feature& feature : features) {
    heads.push_back(feature.heads);
    scale = std::max(scale, feature.heads.c.cwiseAbs().maxCoeff());
  }
  Layer out = mobius::assembled(heads, joins, 1e-6 + 1e3 * run.values->tau() / scale);
  if (run.values->last_is_one())
    for (Head& head : out.heads) head.w.bottomRows(1) = w_sum.bottomRows(1) / static_cast<double>(out.m());
  return out;
}

/// Relative squared error at fresh X.
double error_at_fresh(const ValueRun& run, const Layer& layer) {
  const Stream stream(Domain::learner, run.task.seed, "mobius check");
  Block block(layer.d, 2, mobius::check_queries);
  attention::draw_tokens(run.values->last_is_one() ? Inputs::boolean_and_one : Inputs::boolean, stream, 0,
                         block);
  run.values->ask(block);
  const RowMatrix values = block.y;
  LayerTeacher(layer).label(block);
  return attention::relative_error((values - block.y).squaredNorm(), values.squaredNorm());
}

void learn(const MobiusOptions& options, const ValueRun& run) {
  Report& report = run.recorder.report();
  const Matrix w_sum = run.recorder.phase("w_sum", [&](Phase&) { return ask_w_sum(*run.values); });
  std::optional<FeatureFinder> finder;
  const std::vector<Feature> found = run.recorder.phase("features", [&](Phase& phase) {
    finder.emplace(*run.values, w_sum,
                   mobius::FeatureTask{run.task.heads, options.oversample, run.task.seed, run.context.stop});
    auto features = with_few_pairs_named(finder, w_sum.rows(), [&] { return find_features(run, *finder); });
    phase.add("heads", static_cast<double>(finder->m()));
    Index repeats = 0;
    for (const Feature& feature : features) repeats += feature.repeats();
    phase.add("repeats", static_cast<double>(repeats));
    return features;
  });
  const std::vector<Feature> polished = run.recorder.phase("polish", [&](Phase&) {
    std::vector<Feature> features = found;
    polish_features(run, *finder, features);
    return features;
  });
  // The order of heads is the same before and after the polish.
  const std::vector<Join> joins = run.recorder.phase("join", [&](Phase&) {
    return with_few_pairs_named(finder, w_sum.rows(), [&] { return find_joins(run, w_sum, polished); });
  });
  Layer layer = layer_of(run, w_sum, polished, joins);
  report.phases[1].estimates = {layer_of(run, w_sum, found, joins)};
  report.phases[2].estimates = {layer};
  run.recorder.phase("check", [&](Phase& phase) {
    constexpr double most = 1e-2;
    const double error = error_at_fresh(run, layer);
    phase.add("fresh_error", error);
    if (!(error <= most))
      throw Failed{
          fmt::format("the layer found misses fresh values: relative squared error {:.2g}, at most {} is "
                      "expected. Its heads break a condition of the learner, or answers are too far off",
                      error, most)};
  });
  report.layer = std::move(layer);
  report.message = "Every head was found, and fresh values agree.";
}

class Mobius final : public ValueAlgorithm {
 public:
  explicit Mobius(MobiusOptions options) : options_(options) {}

  Needs needs() const override { return {.tokens = 2, .takes_biases = true}; }
  void run(const ValueRun& run) const override { learn(options_, run); }

  // Of all features what their points show, before and after the polish, with as many blocks as may be asked;
  // the signs that are common to them. Besides: of the features that are found at a time their points, with
  // copies, and of each thread its system of relations and its singular value decomposition, or what
  // conjugate gradients keep; of two features the system that joins them.
  std::optional<RunMemory> predicted_memory(LayerShape layer, const Task& task) const override {
    const auto doubles = [](Index rows, Index columns) {
      return 8 * static_cast<double>(rows) * static_cast<double>(columns);
    };
    constexpr Index blocks = 3;
    constexpr double copies = 4, of_feature = 2, of_solution = 8;
    const Index d = layer.d, m = std::min(d, task.heads.value_or(layer.m)), os = options_.oversample,
                relations = mobius::relation_queries(m, os), first = mobius::feature_queries(d, m, os),
                queries = first + (blocks - 1) * relations, columns = mobius::relation_columns(m),
                joined = 2 * mobius::join_queries(d, m) * std::min(d, 2 * m);
    const double points = doubles(2 * queries, d), coordinates = doubles(2 * queries, m),
                 heads = doubles(4 * m + 3, d), cores = threads();
    const double features = of_feature * static_cast<double>(d) * (coordinates + heads);
    const double signs = 4 * doubles(queries, d) + 4 * doubles(d, d);
    const auto beside = static_cast<double>(mobius::solved_at_once(d, m));
    const double step = cores * beside * (doubles(m * d, d) + doubles(2 * queries, 3 * m * (m + 2))) +
                        cores * copies * doubles(queries, d);
    const double found = FeatureFinder::at_once * (points + of_solution * coordinates) +
                         cores * copies * (points + doubles(relations, columns)) + step;
    const double join = copies * doubles(joined, 2 * m * m);
    return RunMemory{.work = features + signs + std::max(found, join) + attention::layer_bytes(d, 2),
                     .report = attention::layer_bytes(d, 4 * (m + 1)),
                     .heads = m + 1,
                     .queries_at_once = std::max(mobius::w_sum_queries(d), first)};
  }

 private:
  MobiusOptions options_;
};

}  // namespace

const Method mobius_method = method_of<Mobius>(
    "mobius",
    "m heads from two tokens of signs: flipping a block of features changes each head's odds by a "
    "constant factor",
    "exact for exact answers, if at each feature the rows of the W_i are independent (m <= d); about "
    "d (d/2 + m^2 + 11 m/2 + 17) queries; ours, proved in learner/mobius/mobius.h",
    OptionTable<MobiusOptions>().integer("oversample", &MobiusOptions::oversample, 1, 1000,
                                         "times as many queries for relations as are needed, against noise"));

}  // namespace hardhead::learner
