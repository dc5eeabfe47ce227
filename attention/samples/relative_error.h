#pragma once
#include <limits>

namespace hardhead::attention {

/// Relative squared error of predictions Fhat of labels Y, from sums over examples (Frobenius, k x d):
///
///     error / total,   error = sum ||Y - Fhat||^2,   total = sum ||Y||^2.
///
/// If every label is 0, it is 0 for predictions that are all 0 and infinite otherwise. Every relative error
/// of labels, of a learner's on the way and of a finished layer, is this one.
inline double relative_error(double error, double total) {
  if (total > 0) return error / total;
  return error == 0 ? 0 : std::numeric_limits<double>::infinity();
}

}  // namespace hardhead::attention
