#include "learner/mobius/feature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>

#include "base/numeric/decompositions.h"
#include "base/run/parallel.h"
#include "learner/mobius/logit_systems.h"
#include "learner/recorder.h"
#include "learner/stoppable.h"

namespace hardhead::learner::mobius {
namespace {

constexpr Index most_blocks = 3;
constexpr double enough_change = 0.02;

QueryCounts counts_for(Index d, Index m, Index oversample) {
  return {scout_queries(d), fill_queries(d, m, oversample), relation_queries(m, oversample) / 2};
}

// V at rows that were asked one after the other: those of row 1 of all queries come first.
Matrix joined(const Matrix& v, const Matrix& more) {
  const Index half = v.rows() / 2, half_more = more.rows() / 2;
  Matrix out(v.rows() + more.rows(), v.cols());
  out << v.topRows(half), more.topRows(half_more), v.bottomRows(half), more.bottomRows(half_more);
  return out;
}

// weights_by_odds(), of matrices of any size.
Weights stoppable_weights(const Matrix& v, const Matrix& v_shifted, double noise, const StopToken& stop) {
  const double operations = jacobi_operations(v.rows(), relation_columns(v.cols()));
  const auto parts = stoppable(operations, stop, [&]() -> std::vector<Matrix> {
    const Stream combinations(Domain::learner, 0, "mobius combinations");
    const Weights found = weights_by_odds(v, v_shifted, noise, combinations);
    return {found.w, found.beta, Matrix::Constant(1, 1, found.least_change)};
  });
  return {parts[0], parts[1], parts[2](0, 0)};
}

// log(q / (1-q)) = -2 z^T theta, each with the weight that an error in q gives it.
struct Odds {
  Matrix weight, target;  // 2 N x m: squared; z^T theta

  explicit Odds(const Matrix& q) : weight(Matrix::Zero(q.rows(), q.cols())), target(weight) {
    for (Index i = 0; i < q.cols(); ++i)
      for (Index n = 0; n < q.rows(); ++n) {
        const double share = q(n, i), slope = share * (1 - share);
        if (!(share > 0 && share < 1)) continue;
        weight(n, i) = slope * slope;
        target(n, i) = std::log(share / (1 - share)) / -2;
      }
  }
};

}  // namespace

RowFit::RowFit(const Matrix& logits, const Matrix& y) : q((1 + (2 * logits).array().exp()).inverse()) {
  const Index m = logits.cols();
  Matrix design(logits.rows(), m + 1);
  design << q, Vector::Ones(logits.rows());
  const Matrix rows = least_squares(design, y);
  c = rows.topRows(m);
  constant = rows.bottomRows(1);
  residual = y - design * rows;
}

void RowFit::put(const Directions& directions, FeatureHeads& heads) const {
  heads.c = c * directions.basis.transpose();
  heads.constant = (directions.mean + constant * directions.basis.transpose()).transpose();
}

// A feature on its way.
struct FeatureFinder::Asked {
  Index j, blocks;
  Matrix v;               // 2 N x d
  Directions directions;  // of v
  Weights best{};         // that a block has shown
  Directions best_at{};   // the directions that they are in
  std::string failure{};  // of the last block
  bool lost = false;      // no other block can help
};

FeatureFinder::FeatureFinder(ValueOracle& oracle, const Matrix& w_sum, const FeatureTask& task)
    : oracle_(oracle), task_(task), signs_(w_sum, scout_queries(oracle.d()), task.seed) {
  const Index d = oracle.d();
  scouted_ = ask_feature(oracle, w_sum, 0, signs_.scout());
  m_ = task.heads ? *task.heads : directions_of(scouted_, {}, oracle.tau() / 2, task.stop).shown;
  if (m_ < 1 || m_ > d)
    throw Failed{fmt::format(
        "feature 0: its values vary in {} directions, but between 1 and d = {} heads can be told apart", m_,
        d)};
  signs_.draw(counts_for(d, m_, task.oversample), task.stop);
}

FeatureFinder::Asked FeatureFinder::ask(Index j) {
  const Matrix& w_sum = signs_.w_sum();
  if (j > 0) return {j, 1, ask_feature(oracle_, w_sum, j, signs_.first_round()), {}};
  return {0, 1, joined(scouted_, ask_feature(oracle_, w_sum, 0, signs_.rest())), {}};
}

void FeatureFinder::ask_block(Asked& asked, Index block) {
  asked.v = joined(asked.v, ask_feature(oracle_, signs_.w_sum(), asked.j, signs_.block(block)));
  ++asked.blocks;
}

// Row 2 of a query has the block's signs turned, so there what was asked after comes before.
void FeatureFinder::analyse(Asked& asked) const {
  const double noise = oracle_.tau() / 2;
  asked.directions = directions_of(asked.v, m_, noise, task_.stop);
  if (const Index shown = asked.directions.shown; !task_.heads && shown != m_) {
    asked.lost = true;
    asked.failure = fmt::format(
        "feature {} shows {} heads, feature 0 shows {}: the rows of the W_i at a feature are dependent, or "
        "columns of some Theta_i are 0 and others are not",
        asked.j, shown, m_);
    return;
  }
  const Matrix white = asked.directions.white(asked.v);
  const Index pairs = signs_.pairs(), half = white.rows() / 2, before = signs_.first_pair(asked.blocks - 1);
  Matrix v(2 * pairs, m_), v_shifted(2 * pairs, m_);
  v << white.middleRows(before, pairs), white.middleRows(half + before + pairs, pairs);
  v_shifted << white.middleRows(before + pairs, pairs), white.middleRows(half + before, pairs);
  try {
    const double scale = asked.directions.deviations.cwiseInverse().norm();
    Weights found = stoppable_weights(v, v_shifted, noise * scale, task_.stop);
    if (found.least_change > asked.best.least_change)
      asked.best = std::move(found), asked.best_at = asked.directions;
  } catch (const Failed& why) {
    asked.failure = why.message;
  }
}

std::vector<Feature> FeatureFinder::find(Index first, Index count) {
  std::vector<Asked> all;
  for (Index j = first; j < first + count; ++j) all.push_back(ask(j));
  std::vector<Asked*> pending;
  for (Asked& asked : all) pending.push_back(&asked);
  for (Index block = 1; !pending.empty(); ++block) {
    parallel_for_each_index(static_cast<std::int64_t>(pending.size()),
                            [&](std::int64_t n) { analyse(*pending[static_cast<std::size_t>(n)]); });
    std::erase_if(pending, [&](const Asked* asked) {
      return asked->lost || asked->best.least_change >= enough_change || block == most_blocks;
    });
    if (!pending.empty() && signs_.blocks() == block) signs_.draw_block();
    for (Asked* asked : pending) ask_block(*asked, block);
  }
  for (const Asked& asked : all)
    if (asked.lost || asked.best.least_change == 0) throw Failed{asked.failure};
  return fitted(all);
}

std::vector<Feature> FeatureFinder::fitted(std::vector<Asked>& all) const {
  std::vector<Feature> out(all.size());
  const auto each = static_cast<std::size_t>(solved_at_once(signs_.d(), m_));
  const auto parts = static_cast<std::int64_t>((all.size() + each - 1) / each);
  std::vector<std::string> failures(static_cast<std::size_t>(parts));
  parallel_for_each_index(parts, [&](std::int64_t part) {
    const std::size_t first = static_cast<std::size_t>(part) * each,
                      count = std::min(each, all.size() - first);
    try {
      fit(std::span(all).subspan(first, count), std::span(out).subspan(first, count));
    } catch (const Failed& why) {
      failures[static_cast<std::size_t>(part)] = why.message;
    }
  });
  for (const std::string& failure : failures)
    if (!failure.empty()) throw Failed{failure};
  return out;
}

void FeatureFinder::fit(std::span<Asked> all, std::span<Feature> out) const {
  constexpr double accuracy = 1e-13;
  std::vector<Odds> odds;
  std::deque<HeadInverses> inverses;  // that systems point to
  std::vector<LogitSystem> systems;
  CommonSigns::Each weighted;
  std::vector<Index> features, blocks;
  for (const Asked& asked : all) {
    odds.emplace_back(asked.best.at(asked.best_at.white(asked.v)));
    weighted.push_back(odds.back().weight.cwiseProduct(odds.back().target));
    auto found = HeadInverses::of(signs_, asked.j, asked.blocks, odds.back().weight, task_.stop);
    if (!found)
      throw Failed{fmt::format(
          "feature {}: the odds of a head are positive and finite at too few points for its {} logits: "
          "it is saturated or constant, or answers are too far off",
          asked.j, signs_.d())};
    inverses.push_back(std::move(*found));
    features.push_back(asked.j), blocks.push_back(asked.blocks);
  }
  const CommonSigns::Each right = signs_.adjoint(features, blocks, weighted);
  for (std::size_t n = 0; n < odds.size(); ++n)
    systems.push_back(
        {.feature = features[n],
         .blocks = blocks[n],
         .middle = [&weight = odds[n].weight](const Matrix& t) -> Matrix { return weight.cwiseProduct(t); },
         .right = right[n],
         .inverses = &inverses[n]});
  const CommonSigns::Each theta = solve(signs_, systems, accuracy, task_.stop);
  const CommonSigns::Each logits = signs_.times(features, blocks, theta);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Asked& asked = all[n];
    out[n] = {asked.j, asked.blocks, asked.directions, asked.directions.of(asked.v), {}};
    out[n].heads.theta = theta[n];
    RowFit(logits[n], out[n].y).put(out[n].directions, out[n].heads);
  }
}

}  // namespace hardhead::learner::mobius
