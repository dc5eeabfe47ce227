#pragma once
#include "attention/forward/block.h"

namespace hardhead::attention {

/// The small products of attention, over all examples of a block at once. Layouts as in Block: token
/// matrices are (rows) x (k count), patterns k x (k count). An example has the same bits in whatever block,
/// and on whichever target (base/numeric/simd.h).

/// out(j, r count + n) = <left token r, right token j> of example n.
void token_products(Eigen::Ref<const RowMatrix> left, Eigen::Ref<const RowMatrix> right, Index k, Index count,
                    Eigen::Ref<RowMatrix> out);

/// out(:, r count + n) = sum_j weight(j, r count + n) * tokens(:, j count + n).
void token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                    Index count, Eigen::Ref<RowMatrix> out);

/// token_mixtures(), added to `out`.
void add_token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                        Index count, Eigen::Ref<RowMatrix> out);

/// The adjoint: out(:, j count + n) = sum_r weight(j, r count + n) * tokens(:, r count + n).
void token_mixtures_adjoint(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                            Index count, Eigen::Ref<RowMatrix> out);

/// Each column of logits becomes its softmax. The largest logit is subtracted first, so it neither overflows
/// nor divides by zero for any finite logits. The relative error of an entry is at most 4 epsilon times 1 +
/// the distance of its logit from the largest; entries below 1e-307 are 0 or nearly.
void softmax(Eigen::Ref<RowMatrix> logits);

/// The softmax's Jacobian applied in place, v <- p o (v - <p, v>), column by column. It is symmetric: the
/// same map takes changes of logits to changes of p, and gradients in p to gradients in logits.
void softmax_jacobian(Eigen::Ref<const RowMatrix> p, Eigen::Ref<RowMatrix> v);

}  // namespace hardhead::attention
