#pragma once
#include "base/run/stop_token.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// The Cholesky factor L of a symmetric positive definite matrix A = L L^T, n^3 / 3 operations: Eigen's LLT,
/// bit for bit, but for a stop token that is polled after every panel of at most 128 columns. Where A is not
/// positive definite the factorization ends early, and what is solved by it is wrong.
class Cholesky {
 public:
  /// Of no matrix.
  Cholesky() = default;
  /// Reads the lower triangle. Throws Stopped.
  explicit Cholesky(Matrix a, const StopToken& stop = {});

  /// L, in the lower triangle.
  const Matrix& factor() const { return factor_; }
  /// A^-1 right.
  Matrix solve(Matrix right) const;

 private:
  Matrix factor_;
};

/// Adds 1e-8 of its mean diagonal to the diagonal of a positive semidefinite matrix, which is then definite.
void add_ridge(Matrix& a);

/// A positive semidefinite matrix with such a ridge: a part of a preconditioner.
struct RidgedMatrix {
  Matrix matrix;    ///< with its ridge
  Cholesky factor;  ///< of that

  RidgedMatrix() = default;  ///< of no matrix
  /// Throws Stopped.
  explicit RidgedMatrix(Matrix a, const StopToken& stop = {});
};

/// Solution of the normal equations gram X = right, for a symmetric positive semidefinite Gram matrix, with a
/// ridge of 1e-13 times its mean diagonal: a relative change of that order where it is well conditioned, and
/// finite where it is singular (equal heads, fewer rows than unknowns). Zero for a zero matrix.
/// Throws Stopped.
Matrix ridge_solve(Matrix gram, const Matrix& right, const StopToken& stop = {});

}  // namespace hardhead::learner
