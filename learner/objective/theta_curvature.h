#pragma once
#include "attention/forward/block.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// How curved the squared error of some examples is in the Theta of a head, for preconditioners: with C_r the
/// covariance of the tokens under the head's attention in row r,
///
///     spread = sum_r C_r W W^T C_r,   common = sum_r C_r W u_r x_r^T,   u_r = W^T C_r x_r / |W^T C_r x_r|,
///
/// over all rows, and over one row of each example; u_r is the direction in which labels move if every token
/// attends to itself more, logits moving by <x_r, x_j>.
struct ThetaCurvature {
  Matrix spread, common;  ///< d x d

  /// Of no examples.
  explicit ThetaCurvature(Index d);
  /// Of the examples of both.
  ThetaCurvature& operator+=(const ThetaCurvature& other);

  /// Adds a block. `p`: the head's attention, k x (k count). `values` and `images`: columns for each token, k
  /// count, with <values of x_j, images of x_l> = x_j^T W W^T x_l.
  void add(const Block& block, const Eigen::Ref<const RowMatrix>& p,
           const Eigen::Ref<const RowMatrix>& values, const Eigen::Ref<const RowMatrix>& images);
};

}  // namespace hardhead::learner
