#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/run/stop_token.h"
#include "learner/mobius/common_signs.h"
#include "learner/mobius/directions.h"
#include "learner/mobius/odds.h"

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
};

/// A feature with what its points show. V is kept in the directions that it varies in: what is orthogonal to
/// them is noise.
struct Feature {
  Index j = 0;            ///< which one
  Index blocks = 1;       ///< that were asked; those before the last, and at times the last, were given up
  Directions directions;  ///< of V at all points
  Matrix y;               ///< 2 N x m, V in these directions
  FeatureHeads heads;     ///< fitted to them

  Index repeats() const { return blocks - 1; }  ///< blocks beyond one, at relation_queries() each
};

/// Queries about one feature that show m. Each gives one z for the logits: its rows have x and -x + 2 e_j.
constexpr Index scout_queries(Index d) {
  return (d + 1) / 2 + 4;
}
/// For the relations, in pairs with one x but for the block, which give one z: times `oversample`, twice as
/// many relations (rows) as there are columns, and 8 more. With hardly more than columns rounding is
/// magnified: the errors before the polish are several times as large.
constexpr Index relation_queries(Index m, Index oversample = 1) {
  return 2 * (relation_columns(m) + 4) * oversample;
}
/// Different pairs of points of d features, of which two are the same in all: 2^(d - 2).
constexpr double pairs_of_points(Index d) {
  double out = 1;
  for (Index f = 2; f < d; ++f) out *= 2;
  return out;
}
/// Whether d features have too few different pairs of points for relations of m heads, 2^(d - 2) <= (m +
/// 1)^2. That is measured: of 10 nice layers none is found at (d, m) = (3, 1), (5, 2), (6, 3), and all at (5,
/// 1), (6, 2), (7, 4), (8, 6) (tests/learner/values/mobius_test.cc).
constexpr bool has_few_pairs(Index d, Index m) {
  return pairs_of_points(d) <= static_cast<double>((m + 1) * (m + 1));
}

/// As many as are missing to d + 4 independent z for the logits: none where m is large.
constexpr Index fill_queries(Index d, Index m, Index oversample = 1) {
  const Index have = scout_queries(d) + relation_queries(m, oversample) / 2;
  return have < d + 4 ? d + 4 - have : 0;
}
/// All queries about one feature.
constexpr Index feature_queries(Index d, Index m, Index oversample = 1) {
  return scout_queries(d) + relation_queries(m, oversample) + fill_queries(d, m, oversample);
}

/// What is asked about features besides their values.
struct FeatureTask {
  std::optional<Index> heads{};  ///< that vary, where their number is stated; else it is estimated
  Index oversample = 1;          ///< times as many queries for relations as are needed
  std::uint64_t seed = 1;        ///< of the X drawn
  StopToken stop{};              ///< asked also while large matrices are decomposed
};

/// Asks about features and finds their heads (mobius.h, steps b to d).
class FeatureFinder {
 public:
  /// Features whose points are in memory at a time.
  static constexpr Index at_once = 16;

  /// Asks about feature 0 how many heads there are. The oracle must outlive it. Throws as find() does.
  FeatureFinder(ValueOracle& oracle, const Matrix& w_sum, const FeatureTask& task);

  /// Features first .. first + count - 1, at_once at most; from 0 on, each once. A block of features that
  /// happens to leave the odds of a head nearly as they are (within 4%) shows little of it: another block is
  /// asked then, twice at most, and the best one counts. Throws Failed, Stopped and whatever the oracle
  /// throws.
  std::vector<Feature> find(Index first, Index count);

  Index m() const { return m_; }                       ///< heads that feature 0 shows
  const CommonSigns& signs() const { return signs_; }  ///< that were asked

 private:
  struct Asked;
  Asked ask(Index j);
  void ask_block(Asked& asked, Index block);
  void analyse(Asked& asked) const;
  std::vector<Feature> fitted(std::vector<Asked>& asked) const;
  void fit(std::span<Asked> asked, std::span<Feature> out) const;

  ValueOracle& oracle_;
  FeatureTask task_;
  CommonSigns signs_;
  Matrix scouted_;  // V of feature 0 at scout()
  Index m_ = 0;
};

/// Least squares of V = constant + q c in the coordinates of V, for q = sigma(-2 Z theta).
struct RowFit {
  Matrix q;         ///< 2 N x m
  Matrix c;         ///< m x m
  Matrix constant;  ///< 1 x m
  Matrix residual;  ///< 2 N x m

  /// Of the logits Z theta.
  RowFit(const Matrix& logits, const Matrix& y);
  double error() const { return residual.squaredNorm(); }  ///< squared
  /// c and the constant of the heads with it.
  void put(const Directions& directions, FeatureHeads& heads) const;
};

}  // namespace hardhead::learner::mobius
