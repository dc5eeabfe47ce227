#pragma once
#include <vector>

#include "learner/objective/cholesky.h"
#include "learner/objective/linearised.h"
#include "learner/objective/single_products.h"

namespace hardhead::learner {

/// The problem of fitting all of a layer, linearised at one layer, matrix-free. With
///
///     dq = dTheta^T x_r,  dl_j = dq . x_j,  dp = p o (dl - <p, dl>),  dv_j = dW^T x_j,
///     dy = sum_i sum_j dp_ij v_ij + p_ij dv_ij,
///
/// J^T J v costs four stacked products of m d x d by d x (k count) for each block, two for J v and two for
/// its adjoint (loss.h), all of them with X.
///
/// Attention patterns and values, m k (k + d) doubles an example, are kept for as many blocks as `kept_bytes`
/// hold, and computed again for the others whenever they are needed (two more products in four). Every result
/// in double has the same bits whatever is kept. Of tokens of signs a copy in single precision is kept as
/// well, for rough products (single_products.h), if it takes at most half of `kept_bytes`.
class Linearisation final : public LinearisedOnBlocks {
 public:
  /// Two linearisations live at a time in Gauss-Newton, so that its patterns stay within 1 GiB.
  static constexpr double default_kept_bytes = 512.0 * 1024 * 1024;

  /// Throws Stopped, as all that it computes.
  Linearisation(const std::vector<Block>& blocks, const Layer& layer, double kept_bytes = default_kept_bytes,
                const StopToken& stop = {});
  /// At another layer with as many heads, as stack() has it.
  void move_to(const Stacked& parameters) override;

  Stacked normal_product(const Stacked& v) const override;
  Stacked rough_normal_product(const Stacked& v) const override;
  bool is_rough() const override { return !single_.empty(); }

  /// Exact in the W_i (the Gram matrix of the mean tokens), and for each Theta_i the Kronecker product of the
  /// tokens' second moment (the identity for all three input distributions) with the mean of C_r W_i W_i^T
  /// C_r, where C_r is the covariance of the tokens under head i's attention (theta_curvature.h).
  ///
  /// To this N t t^T is added: with u_r the direction in which row r of the labels moves if every token
  /// attends to itself more, logits moving by <x_r, x_j>, and f_r(dTheta) the part of the row's change along
  /// u_r, <t, dTheta> is the mean of f_r over N rows, so that J^T J is at least N t t^T.
  std::unique_ptr<const Preconditioner> preconditioner() const override;

  /// What it takes for fits of this many examples.
  static Bytes bytes(const PassShape& shape, std::int64_t examples, double kept_bytes = default_kept_bytes);

 private:
  struct Metric;

  void linearise();
  const Forward::Workspace& attended(std::size_t block, BlockLoss::Scratch& scratch) const;

  BlockLoss block_loss_;
  SingleProducts single_;
  std::vector<Forward::Workspace> kept_;  // of the first blocks
  mutable LossScratch scratch_;
};

}  // namespace hardhead::learner
