#pragma once
#include <functional>

#include "base/numeric/decompositions.h"
#include "base/run/stop_token.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// A symmetric positive semidefinite matrix A by what it makes of vectors, one a column.
struct SymmetricOperator {
  std::function<Matrix(const Matrix&)> product;       ///< A v
  std::function<Matrix(const Matrix&)> precondition;  ///< K^-1 v, K near A and definite
};

/// The smallest eigenvalues of A, as many as `start` has columns, and their vectors: a block Davidson method.
/// The basis grows by K^-1 (A u - lambda u) for every Ritz pair (lambda, u), and begins anew with the best
/// Ritz vectors where it is as large as 24 blocks. It ends where no Ritz value falls by more than 0.3% of
/// itself, or after 200 blocks. Values at the edge of a bulk come slowly and are some per cent too large
/// then; values far below it, and the span of their vectors, have many more digits. Where K = A up to a
/// constant this is inverse iteration. Throws Stopped.
///
/// Source: Davidson, "The iterative calculation of a few of the lowest eigenvalues", J. Comput. Phys. 17,
/// 1975; in blocks: Crouzeix, Philippe and Sadkane, SIAM J. Sci. Comput. 15, 1994.
Eigenpairs smallest_eigenpairs(const SymmetricOperator& a, const Matrix& start, const StopToken& stop);

/// Bytes that it takes at most, besides what a product takes: `count` vectors of `size` numbers.
double smallest_eigenpairs_bytes(Index size, Index count);

/// A^-1 b by preconditioned conjugate gradients from 0, until the residual is 10^-12 of b in the norm of
/// K^-1, or for 2000 steps at most. Throws Stopped.
Vector conjugate_gradients(const SymmetricOperator& a, const Vector& b, const StopToken& stop);

}  // namespace hardhead::learner
