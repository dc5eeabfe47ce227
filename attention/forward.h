#pragma once
#include <vector>

#include "attention/block.h"

namespace hardhead::attention {

/// The forward pass `Y = sum_i softmax(X Theta_i X^T) X W_i` over blocks of examples, in double.
///
/// With all heads' matrices stacked, Q = [Theta_1 .. Theta_m]^T X is one (m d) x d by d x (k count) product,
/// logits are elementwise products of Q and X summed over features, Z_i = sum_j p_ij x_j likewise, and
/// Y = [W_1; ..; W_m]^T Z is one product again. The softmax subtracts the row's largest logit, so it neither
/// overflows nor divides by zero for any finite logits.
///
/// Against the exact value the error of an entry of Y is of the order 1e-15 * (1 + largest logit) times
/// sum_i |W_i|; tests/attention/forward_test.cc prints and bounds it.
class Forward {
 public:
  /// Scratch space: one for each thread, reused from call to call.
  struct Workspace {
    RowMatrix q;  ///< (m d) x (k count)
    RowMatrix z;  ///< (m d) x (k count): attended mean tokens
    RowMatrix p;  ///< (m k) x (k count): row i k + j, column r count + n holds p_i[r, j] of example n
  };

  explicit Forward(const Layer& layer);

  Index d() const { return d_; }
  Index m() const { return m_; }

  /// Writes block.y from block.x and leaves attention patterns and mean tokens in the workspace.
  void apply(Block& block, Workspace& workspace) const;

  /// Only the attention patterns p and mean tokens z.
  void attend(const Block& block, Workspace& workspace) const;

 private:
  Index d_, m_;
  RowMatrix theta_t_;  ///< (m d) x d: Theta_i^T on top of each other
  RowMatrix w_t_;      ///< d x (m d): W_i^T side by side
};

/// Attention patterns and mean tokens of one head with attention form `theta`, for a block.
/// p: k x (k count), z: d x (k count), layout as in Forward::Workspace with m = 1.
void attend_one(const Matrix& theta, const Block& block, Forward::Workspace& workspace);

}  // namespace hardhead::attention
