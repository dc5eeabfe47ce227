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

/// Adds 1e-8 of its mean diagonal to the diagonal of a positive semidefinite matrix, which is then definite.
void add_ridge(attention::Matrix& a);

/// A positive semidefinite matrix with such a ridge: a part of a preconditioner.
struct RidgedMatrix {
  attention::Matrix matrix;  ///< with its ridge
  Cholesky factor;           ///< of that

  RidgedMatrix() = default;  ///< of no matrix
  /// Throws Stopped.
  explicit RidgedMatrix(attention::Matrix a, const StopToken& stop = {});
};

/// Solution of the normal equations gram X = right, for a symmetric positive semidefinite Gram matrix, with a
/// ridge of 1e-13 times its mean diagonal: a relative change of that order where it is well conditioned, and
/// finite where it is singular (equal heads, fewer rows than unknowns). Zero for a zero matrix.
/// Throws Stopped.
attention::Matrix ridge_solve(attention::Matrix gram, const attention::Matrix& right,
                              const StopToken& stop = {});

}  // namespace hardhead::learner
