#pragma once
#include <tbb/enumerable_thread_specific.h>

#include <vector>

#include "attention/forward/forward.h"
#include "attention/forward/memory.h"
#include "attention/samples/relative_error.h"
#include "base/run/stop_token.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// Parameters, steps and gradients of a layer as one (2 m d) x d matrix: Theta_i^T on top of each other, then
/// the W_i^T. So stacked, all of them act on tokens from the left, and every gradient is a product with X^T.
using Stacked = Matrix;

/// A layer as such a matrix.
Stacked stack(const Layer& layer);
/// The inverse.
Layer unstack(const Stacked& stacked);

/// How far a layer is from the labels of some examples: sums over all their rows.
struct Loss {
  double error = 0;  ///< sum ||F(X) - Y||^2
  double total = 0;  ///< sum ||Y||^2
  Stacked gradient;  ///< J^T (F(X) - Y), J = dF(X) / d(Theta, W); half the gradient of `error`

  /// No examples yet; `zero` gives the gradient its shape.
  explicit Loss(Stacked zero) : gradient(std::move(zero)) {}
  /// Sums over the examples of both.
  Loss& operator+=(const Loss& other);

  /// error / total, by the rule of attention/samples/relative_error.h.
  double relative_error() const { return attention::relative_error(error, total); }
};

/// Loss and gradient of one layer, block by block. With values v_ij = W_i^T x_j and u = F(X) - Y,
///
///     dL/dp_ij = u . v_ij,  dL/dlogit = p o (dL/dp - <p, dL/dp>),  h_i = sum_j dL/dlogit_ij x_j,
///     e_ij = sum_r p_i[r,j] u_r,  dL/dTheta_i^T = H_i X^T,  dL/dW_i^T = E_i X^T:
///
/// four stacked products of m d x d by d x (k count) for a block, those of the forward pass included, all of
/// them with X: where X is +-1 they take tables of partial sums (attention/forward/signs.h).
class BlockLoss {
 public:
  /// Buffers of one thread, reused from block to block.
  struct Scratch {
    Forward::Workspace attended;  ///< for callers that keep no patterns
    RowMatrix heads;              ///< as many heads at once as the cache holds, twice
    RowMatrix logits;             ///< k x (k count)
    RowMatrix residual;           ///< d x (k count)
  };

  /// Copies the layer.
  explicit BlockLoss(const Layer& layer) : forward_(layer) {}

  Index d() const { return forward_.d(); }  ///< features
  Index m() const { return forward_.m(); }  ///< heads

  /// Only patterns and values (Forward::attend_values).
  void attend(const Block& block, Forward::Workspace& attended) const {
    forward_.attend_values(block, attended);
  }
  /// Adds the block's share to `sum`; leaves what attend() writes in `attended`.
  void add(const Block& block, Forward::Workspace& attended, Scratch& scratch, Loss& sum) const;
  /// scratch.residual = J v for the direction v (stack()), from what attend() wrote.
  void set_derivative(const Block& block, const Forward::Workspace& attended, const TokenMaps& direction,
                      Scratch& scratch, const StopToken& stop) const;
  /// Adds J^T u for u = scratch.residual to `gradient`, from what attend() wrote.
  void add_adjoint(const Block& block, const Forward::Workspace& attended, Scratch& scratch,
                   Stacked& gradient) const;

 private:
  Forward forward_;
};

/// Buffers of all threads; they live as long as the caller wants to use them again.
using LossScratch = tbb::enumerable_thread_specific<BlockLoss::Scratch>;

/// Bytes of a thread's BlockLoss::Scratch, at most.
double block_loss_bytes(const PassShape& shape);

/// Loss and gradient over all blocks; the same for any number of threads. Throws Stopped.
Loss loss(const std::vector<Block>& blocks, const Layer& layer, LossScratch& scratch,
          const StopToken& stop = {});
/// Bytes that it takes besides this many examples and the layer, at most; the scratch is included.
double loss_bytes(const PassShape& shape, std::int64_t examples);

}  // namespace hardhead::learner
