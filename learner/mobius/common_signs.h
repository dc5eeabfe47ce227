#pragma once
#include <deque>
#include <vector>

#include "base/run/stop_token.h"
#include "learner/mobius/points.h"

namespace hardhead::learner::mobius {

/// How many queries each part of a feature's takes (feature.h).
struct QueryCounts {
  Index scout = 0;  ///< show how many heads there are
  Index fill = 0;   ///< make up the numbers of z
  Index pairs = 0;  ///< whose odds are compared; two queries each
};

/// The signs that are asked: the same for every feature, read with +1 in the feature's own column.
///
/// Feature j has the z of its rows x, and of -x, with z_j = +1 (ask_feature()). With N rows Z_j is 2 N x d,
///
///     Z_j u = (X u + (1 - x_j) u_j,  -X u + (1 + x_j) u_j),
///
/// x_j column j of X, so that one product with X does for many features.
class CommonSigns {
 public:
  /// Draws rows that show how many heads there are.
  CommonSigns(const Matrix& w_sum, Index scouts, std::uint64_t seed);

  /// Draws all rows of a first round, such that X has independent columns. Throws Stopped.
  void draw(const QueryCounts& counts, const StopToken& stop);
  /// Draws another block of features, whose signs are turned, and the rows with it.
  void draw_block();

  Index d() const { return w_sum_.rows(); }               ///< features
  const Matrix& w_sum() const { return w_sum_; }          ///< as given
  const SignRows& scout() const { return scout_; }        ///< the rows of the constructor
  const SignRows& rest() const { return rest_; }          ///< the others of the first round
  const SignRows& first_round() const { return first_; }  ///< all of it
  /// Block b, b >= 1: `pairs` rows, and the same with the block's signs turned.
  const SignRows& block(Index b) const { return later_[static_cast<std::size_t>(b - 1)]; }
  Index blocks() const { return 1 + static_cast<Index>(later_.size()); }  ///< drawn
  /// Rows of X up to the b-th block's pairs; those of b blocks: first_pair(b).
  Index first_pair(Index b) const { return counts_.scout + counts_.fill + 2 * b * counts_.pairs; }
  Index pairs() const { return counts_.pairs; }  ///< of a block

  /// A matrix for each of some features: what belongs to feature features[n] is the n-th.
  using Each = std::vector<Matrix>;
  /// Z_j u for d x m matrices u: 2 first_pair(blocks[n]) x m.
  Each times(const std::vector<Index>& features, const std::vector<Index>& blocks, const Each& u) const;
  /// Z_j^T s for such matrices s: d x m.
  Each adjoint(const std::vector<Index>& features, const std::vector<Index>& blocks, const Each& s) const;
  /// Z_j^T diag(weight) Z_j, d x d, for the 2 first_pair(blocks) entries of `weight`.
  Matrix weighted_gram(Index feature, Index blocks, const Vector& weight) const;

 private:
  Matrix turned(std::uint64_t draw) const;
  void append(const Matrix& rows);

  Matrix w_sum_;
  std::uint64_t seed_;
  QueryCounts counts_;
  std::uint64_t draws_ = 0;
  SignRows scout_, rest_, first_;
  std::deque<SignRows> later_;
  Matrix x_;  // X, all rows that were drawn
};

}  // namespace hardhead::learner::mobius
