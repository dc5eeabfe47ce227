#pragma once
#include "attention/layer/network.h"
#include "learner/gradient/float_block.h"

namespace hardhead::learner {

/// What a gradient learner minimises, over all rows of a batch.
enum class LossKind {
  squared,  ///< sum ||F(X) - Y||^2
  l1        ///< sum |F(X) - Y|, entry by entry; its gradient sees what the squared loss cannot
            ///< (N. Joshi, T. Misiakiewicz, N. Srebro, arXiv 2407.05622)
};

constexpr auto enum_names(LossKind) {
  return std::to_array<EnumName<LossKind>>({{LossKind::squared, "squared"}, {LossKind::l1, "l1"}});
}

/// Sums over the examples of a batch.
struct StudentGradient {
  double loss = 0;       ///< as LossKind says
  FloatMatrix gradient;  ///< of `loss`, as StudentShape arranges parameters
  FloatMatrix w_sum;     ///< d x d: what the gradient of every W_i^T has besides

  /// Sums over both batches.
  StudentGradient& operator+=(const StudentGradient& other);
};

/// Loss and gradient of one student in single precision, block by block.
///
/// A softmax does not see a number that is added to all its logits, and its weights sum to 1. So with the
/// differences D_j = x_j - x_0, for rows r and tokens j = 1 .. k - 1,
///
///     l_i[r,j] = x_r^T Theta_i D_j,  p_i[r,.] = softmax(0, l_i[r,1], ..),  V_ij = W_i^T D_j,
///     F(X)_r = W_sum^T x_0 + sum_i sum_{j >= 1} p_i[r,j] V_ij,
///
/// and with u the derivative of the loss by F(X)
///
///     dl_i[r,j] = p_i[r,j] (u_r . V_ij - sum_{j' >= 1} p_i[r,j'] u_r . V_ij'),
///     dTheta_i = sum_j (sum_r dl_i[r,j] x_r) D_j^T,
///     dW_i^T   = (sum_r u_r) x_0^T + sum_j (sum_r p_i[r,j] u_r) D_j^T:
///
/// for full Theta four stacked products of m d x d by d x ((k - 1) n), where the same with the tokens
/// themselves takes k / (k - 1) times as many operations. Diagonal Theta take one product of m x d with the
/// x_r o D_j each way, Theta of rank r products with its factors.
class StudentLoss {
 public:
  /// Buffers of one thread, used again from block to block.
  struct Scratch {
    FloatMatrix p;                          ///< m x (k (k-1) n): p_i[r,j] in columns ((k - 1) r + j - 1) n ..
    FloatMatrix logit_change;               ///< dl, the same layout
    FloatMatrix values;                     ///< (m d) x ((k - 1) n): V_ij
    FloatMatrix residual;                   ///< d x (k n): F(X) - Y, then u
    FloatMatrix u_sum;                      ///< d x n: sum_r u_r
    FloatMatrix left, right;                ///< what some heads make of tokens and of differences
    FloatMatrix left_change, right_change;  ///< derivatives of the loss by these
    FloatMatrix pairs;                      ///< d x (k (k-1) n): x_r o D_j, for diagonal Theta
    FloatMatrix u;                          ///< d x (k n): what a network is applied to
    FloatMatrix hidden, hidden_change;      ///< h x (k n): its units, and the derivative of the loss by these
  };

  /// `parameters` must outlive it.
  StudentLoss(const StudentShape& shape, LossKind kind, const FloatMatrix& parameters);

  /// Bytes of a thread's scratch for blocks of this many columns, at most.
  static double scratch_bytes(const StudentShape& shape, Index k, Index columns);
  /// Bytes of a StudentGradient.
  static double gradient_bytes(const StudentShape& shape);

  /// No examples yet.
  StudentGradient zero() const;
  /// Adds the block's share to `sum`.
  void add(const FloatBlock& block, Scratch& scratch, StudentGradient& sum) const;
  /// Adds W_sum's part to the gradients of the W_i: to be called once, when all blocks have been added.
  void finish(StudentGradient& sum) const;

 private:
  void add_logits(const FloatBlock& block, Scratch& scratch) const;
  void add_theta_gradient(const FloatBlock& block, Scratch& scratch, FloatMatrix& gradient) const;
  void add_full_gradient(const FloatBlock& block, Scratch& scratch, FloatMatrix& gradient) const;
  void add_factor_gradients(const FloatBlock& block, Scratch& scratch, FloatMatrix& gradient) const;
  void predict(const FloatBlock& block, Scratch& scratch) const;
  void apply_network(const FloatBlock& block, Scratch& scratch) const;
  void add_network_gradient(Scratch& scratch, FloatMatrix& gradient) const;
  void add_w_gradient(const FloatBlock& block, Scratch& scratch, StudentGradient& sum) const;
  auto w_rows(Index first_head, Index heads) const {
    return parameters_.middleRows(shape_.theta_rows() + first_head * shape_.d, heads * shape_.d);
  }
  // The network's numbers, as to_rows() has them.
  auto network_rows() const { return parameters_.bottomRows(shape_.network.rows(shape_.d)); }

  StudentShape shape_;
  LossKind kind_;
  const FloatMatrix& parameters_;
  FloatMatrix w_sum_;  // sum_i W_i^T
};

}  // namespace hardhead::learner
