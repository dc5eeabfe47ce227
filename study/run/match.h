#pragma once
#include <optional>
#include <vector>

#include "attention/layer/layer.h"

namespace hardhead::study {

/// An estimate's heads paired with the true ones. The order of heads is not identifiable, so errors of
/// parameters are taken over the pairing of least total cost
///
///     sum_i ||theta_i - theta'_p(i)||^2 / ||theta_i||^2 + ||w_i - w'_p(i)||^2 / ||w_i||^2
///
/// (Frobenius; a true norm of 0 divides by 1). With different numbers of heads, min(m, m') are paired.
struct HeadMatch {
  std::vector<std::optional<attention::Index>> partner;  ///< of true head i: a head of the estimate, if any
  /// ||theta_i - theta'_p(i)|| / ||theta_i||, in the true heads' order; null where the head has no partner or
  /// the true norm is 0.
  std::vector<std::optional<double>> theta_error;
  std::vector<std::optional<double>> w_error;  ///< likewise of w
};

/// Throws InputError if the layers' d differ.
HeadMatch match_heads(const attention::Layer& truth, const attention::Layer& estimate);

}  // namespace hardhead::study
