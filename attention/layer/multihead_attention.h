#pragma once
#include "attention/layer/layer.h"

namespace hardhead::attention {

/// The projections of an attention module of H heads of size l on tokens x of D features (rows), as its
/// implementations keep them. G key-value heads, G a divisor of H, serve H / G query heads each, in order.
///
///     query of head i              q = Q_i x + a_i          Q_i, a_i: rows i l .. (i+1) l - 1
///     key, value of head i         K_g x + ..,  V_g x + b_g,   g = floor(i G / H)
///     logit                        s q . R (K_g x + ..)
///     output                       sum_i O_i (sum_j p_ij (V_g x_j + b_g)) + c
///
/// The biases of keys are not here: they add to all logits of a row the same number, which the softmax
/// ignores.
struct AttentionWeights {
  Index heads = 1;          ///< H
  Matrix query;             ///< H l x D, head after head
  Matrix key, value;        ///< G l x D
  Matrix output;            ///< D x H l, head i has the columns i l .. (i+1) l - 1
  Vector query_bias{};      ///< a: H l numbers, or none
  Vector value_bias{};      ///< b: G l numbers, or none
  Vector output_bias{};     ///< c: D numbers, or none
  Matrix rotation{};        ///< R: l x l, or none for the identity
  double logit_factor = 1;  ///< s sqrt(l), 1 where logits are divided by sqrt(l) as usual

  Index head_size() const { return query.rows() / heads; }            ///< l
  Index key_value_heads() const { return key.rows() / head_size(); }  ///< G
  /// Whether any bias is there.
  bool has_bias() const { return query_bias.size() + value_bias.size() + output_bias.size() > 0; }
};

/// The same function of tokens x that x -> gain * x + shift (feature by feature) has been applied to before.
/// `shift` may be empty. Throws InputError unless each has D entries.
AttentionWeights with_norm_folded(const AttentionWeights& weights, const Vector& gain, const Vector& shift);

/// The layer that the module is: without biases of D features,
///
///     Theta_i = s Q_i^T R K_g,   W_i = V_g^T O_i^T
///
/// With biases it has D + 1 features, the last of which is the constant 1 in tokens and 0 in labels:
///
///     Theta_i = | s Q_i^T R K_g   0 |      W_i = | V_g^T O_i^T                0 |
///               | s a_i^T R K_g   0 |            | (sum_h O_h b_g + c)^T / H  0 |
///
/// which is the canonical form of what a constant feature leaves free (canonical.h).
///
/// Throws InputError naming the weight and its shape unless shapes fit each other and every product is
/// finite.
Layer layer_of(const AttentionWeights& weights);

/// The layer that a torch.nn.MultiheadAttention(D, H) is, l = D / H, of these weights:
///
///     in_proj_weight   3D x D   the query, key and value maps Q, K, V on top of each other
///     out_proj_weight  D x D    O
///     in_proj_bias     3D       their biases, or empty
///     out_proj_bias    D        c, or empty
///
/// PyTorch applies a map A to a row x as x A^T, so that the logit of token j for row r is
/// (x_r Q_i^T) . (x_j K_i^T) / sqrt(l) = x_r Theta_i x_j^T.
///
/// Throws InputError naming the weight and its shape unless shapes fit each other and H >= 1 divides D; as
/// layer_of().
Layer from_multihead_attention(const Eigen::Ref<const Matrix>& in_proj_weight,
                               const Eigen::Ref<const Matrix>& out_proj_weight, Index heads,
                               const Vector& in_proj_bias = {}, const Vector& out_proj_bias = {});

}  // namespace hardhead::attention
