#pragma once
#include <memory>
#include <span>
#include <vector>

#include "attention/exact.h"
#include "attention/sample_source.h"
#include "hardness/interpolation.h"

namespace hardhead::hardness {

/// The gadget (k = 2 tokens) that turns a step function of a hidden sum into an attention layer.
///
/// With z_j = x_{1j} x_{2j}, b_j = (1 - z_j)/2 and a public switch coordinate j0 where s_{j0} = 0,
///
///     Theta_i = c diag(s) - c t_i e_{j0} e_{j0}^T,   W_i = w_i e_{j0} e_1^T,   c = ln B,
///
/// the layer's output is, for both rows r,
///
///     Y_{r,1} = x_{r,j0} ( W - 2 [z_{j0} = -1] g(h) ),   h = <s, b>,   W = sum_i w_i,
///     g(h) = sum_i w_i / (1 + B^{2 (h - t_i)}),
///
/// and every other column is 0.
struct SwitchGadget {
  attention::Index d = 0;
  attention::Index switch_coordinate = 0;  ///< j0
  std::int64_t base = 4;                   ///< B
  std::vector<std::int64_t> s;             ///< d nonnegative integers, s[j0] = 0
  StepWeights steps;
  /// Weight of one further head with Theta = 0 (sigma = 1/2 wherever the switch is on); 0 for none.
  Rational flat_weight = 0;

  Rational weight_sum() const;  ///< W, the flat head included
  /// g(h), the flat head included.
  Rational g(long h) const;
  long h_max() const;  ///< H = sum of s

  attention::ExactLayer exact_layer() const;

  /// Labels as exact values, each rounded to double once (a forward pass would give equal levels as several
  /// doubles, and which one would tell h). Zero is always +0.0.
  std::shared_ptr<const attention::Teacher> teacher() const;
};

}  // namespace hardhead::hardness
