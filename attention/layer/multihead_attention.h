#pragma once
#include "attention/layer/layer.h"

namespace hardhead::attention {

/// The layer that a torch.nn.MultiheadAttention(d, m, bias=False) is, from its weights, l = d / m:
///
///     in_proj_weight   3d x d   the query, key and value maps Q, K, V on top of each other; head i has the
///                               rows i l .. (i+1) l - 1 of each
///     out_proj_weight  d x d    O; head i has columns i l .. (i+1) l - 1
///
///     Theta_i = Q_i^T K_i / sqrt(l),   W_i = V_i^T O_i^T
///
/// PyTorch applies a map A to a row x as x A^T, so that the logit of token j for row r is
/// (x_r Q_i^T) . (x_j K_i^T) / sqrt(l) = x_r Theta_i x_j^T.
///
/// Throws InputError naming the weight and its shape unless shapes fit each other, m >= 1 divides d, and
/// every product is finite.
Layer from_multihead_attention(const Eigen::Ref<const Matrix>& in_proj_weight,
                               const Eigen::Ref<const Matrix>& out_proj_weight, Index heads);

}  // namespace hardhead::attention
