#pragma once
#include <optional>
#include <vector>

#include "base/run/stop_token.h"
#include "learner/mobius/points.h"

namespace hardhead::learner::mobius {

/// What one feature j shows of the heads: V_j(z) = constant + sum_i sigma(-2 z^T theta_i) c_i.
///
/// theta_i is column j of Theta_i and c_i row j of W_i, up to sigma(u) c = c - sigma(-u) c: head i may be
/// (-theta_i, -c_i), with c_i in the constant. Heads are in no order.
struct FeatureHeads {
  Matrix theta;     ///< d x m
  Matrix c;         ///< m x d
  Vector constant;  ///< d

  Index m() const { return theta.cols(); }  ///< heads that vary with z
  /// N x m, sigma(-2 z^T theta_i).
  Matrix attention(const Matrix& z) const;
  /// N x d, V_j of every row of z.
  Matrix values(const Matrix& z) const;
};

/// A feature with all points that were asked for.
struct Feature {
  Points points;       ///< of {j}
  FeatureHeads heads;  ///< fitted to them
  Index repeats = 0;   ///< blocks that were given up, at relation_queries() each
};

/// Queries that one feature takes: scout_queries() first, which show m, then relation_queries(), then as many
/// as are missing to d + 4 independent z for the logits (fill_queries()). The two rows of a query have z = x
/// and z = -x + 2 e_j, and a pair for the relations has one x but for its block, so a scout counts as one z,
/// a pair as one.
constexpr Index scout_queries(Index d) {
  return (d + 1) / 2 + 4;
}
/// Times `oversample`. Pairs of queries, of two rows each: twice as many relations as there are columns, and
/// 8 more. Hardly more than columns would do for exact answers, but rounding is then magnified: the errors
/// before the polish are several times as large.
constexpr Index relation_queries(Index m, Index oversample = 1) {
  const Index columns = 2 * m + 1 + m * (m + 1) / 2;
  return 2 * (columns + 4) * oversample;
}

/// None where m is large.
constexpr Index fill_queries(Index d, Index m, Index oversample = 1) {
  const Index have = scout_queries(d) + relation_queries(m, oversample) / 2;
  return have < d + 4 ? d + 4 - have : 0;
}
/// All queries about one feature.
constexpr Index feature_queries(Index d, Index m, Index oversample = 1) {
  return scout_queries(d) + relation_queries(m, oversample) + fill_queries(d, m, oversample);
}

/// What is asked about a feature besides its values.
struct FeatureTask {
  std::optional<Index> heads{};  ///< that vary, where their number is stated; else it is estimated
  Index oversample = 1;          ///< times as many queries for relations as are needed
  std::uint64_t seed = 1;        ///< of the X drawn
  StopToken stop{};              ///< asked also while large matrices are decomposed
};

/// Asks about feature j and finds its heads (mobius.h, steps b to d). A block of features that happens to
/// leave the odds of a head nearly as they are (within 4%) shows little of it: another block is asked then,
/// twice at most, and the best one counts. Throws Failed, Stopped and whatever the oracle throws.
Feature find_feature(ValueOracle& oracle, const Matrix& w_sum, Index j, const FeatureTask& task);

/// Gauss-Newton on V_j at the feature's points, from what was found (mobius.h). Throws Stopped.
void polish(Feature& feature, const StopToken& stop = {});

}  // namespace hardhead::learner::mobius
