#pragma once
#include "attention/layer/layer.h"
#include "base/run/stop_token.h"

namespace hardhead::learner {

/// The Cholesky factor L of a symmetric positive definite matrix A = L L^T, n^3 / 3 operations: Eigen's LLT,
/// bit for bit, but for a stop token that is polled after every panel of at most 128 columns. Where A is not
/// positive definite the factorization ends early, and what is solved by it is wrong.
class Cholesky {
 public:
  /// Of no matrix.
  Cholesky() = default;
  /// Reads the lower triangle. Throws Stopped.
  explicit Cholesky(attention::Matrix a, const StopToken& stop = {});

  /// L, in the lower triangle.
  const attention::Matrix& factor() const { return factor_; }
  /// A^-1 right.
  attention::Matrix solve(attention::Matrix right) const;

 private:
  attention::Matrix factor_;
};

/// Solution of the normal equations gram X = right, for a symmetric positive semidefinite Gram matrix, with a
/// ridge of 1e-13 times its mean diagonal: a relative change of that order where it is well conditioned, and
/// finite where it is singular (equal heads, fewer rows than unknowns). Zero for a zero matrix.
/// Throws Stopped.
attention::Matrix ridge_solve(attention::Matrix gram, const attention::Matrix& right,
                              const StopToken& stop = {});

}  // namespace hardhead::learner
