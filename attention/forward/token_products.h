#pragma once
#include "attention/forward/block.h"

namespace hardhead::attention {

/// The small products of attention, over all examples of a block at once. Layouts as in Block: token
/// matrices are (rows) x (k count), patterns k x (k count).

/// out(j, r count + n) = <left token r, right token j> of example n.
void token_products(Eigen::Ref<const RowMatrix> left, Eigen::Ref<const RowMatrix> right, Index k, Index count,
                    Eigen::Ref<RowMatrix> out);

/// out(:, r count + n) = sum_j weight(j, r count + n) * tokens(:, j count + n).
void token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                    Index count, Eigen::Ref<RowMatrix> out);

/// The same, added to `out`.
void add_token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                        Index count, Eigen::Ref<RowMatrix> out);

/// The adjoint: out(:, j count + n) = sum_r weight(j, r count + n) * tokens(:, r count + n).
void token_mixtures_adjoint(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                            Index count, Eigen::Ref<RowMatrix> out);

/// The softmax's Jacobian applied in place, v <- p o (v - <p, v>), column by column. It is symmetric: the
/// same map takes changes of logits to changes of p, and gradients in p to gradients in logits.
void softmax_jacobian(Eigen::Ref<const RowMatrix> p, Eigen::Ref<RowMatrix> v);

}  // namespace hardhead::attention
