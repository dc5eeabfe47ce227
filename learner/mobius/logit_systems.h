#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "learner/mobius/common_signs.h"

namespace hardhead::learner::mobius {

/// (Z^T diag(weight_i) Z)^-1 of each head i of a feature, Z its signs: what heads would be solved by if they
/// did not share the values that they are fitted to.
class HeadInverses {
 public:
  /// weight: 2 N x m. Empty where a weight is 0 at so many points that there is no inverse. Throws Stopped.
  static std::optional<HeadInverses> of(const CommonSigns& signs, Index feature, Index blocks,
                                        const Matrix& weight, const StopToken& stop);

  Matrix of_head(Index i, const Matrix& columns) const;  ///< of d x n columns
  Matrix operator()(const Matrix& u) const;              ///< of d x m: column i by that of head i

 private:
  std::vector<Matrix> factors_;  // Cholesky's
};

/// How many features of d and m are solved side by side: their inverses take memory.
Index solved_at_once(Index d, Index m);

/// Directions of u, of one head each, in which Z^T M Z is far smaller than Z^T Z. They are solved for as
/// matrices, beside conjugate gradients (a coarse space; R. Nicolaides, "Deflation of conjugate gradients",
/// SIAM J. Numer. Anal. 24, 1987). None, as at first, are given where there are none.
struct SlowDirections {
  Matrix columns{};  ///< d x (s m): s of head 0, s of head 1, ..
  Matrix inverse{};  ///< of Z^T M Z among them, s m x s m

  /// Adds to `next` what these directions make of a residual, both d x m.
  void correct(const Matrix& residual, Matrix& next) const;
};

/// Equations Z^T M(Z u) = r of one feature for a d x m matrix u, where Z are its signs (common_signs.h) and M
/// is symmetric and positive semidefinite: least squares for what is linear in the heads' logits Z theta.
struct LogitSystem {
  Index feature = 0;                            ///< j
  Index blocks = 1;                             ///< of the signs that were asked
  std::function<Matrix(const Matrix&)> middle;  ///< M, of 2 N x m matrices
  Matrix right;                                 ///< r, d x m
  const HeadInverses* inverses = nullptr;       ///< about the inverse of Z^T M Z, head by head
  SlowDirections slow{};                        ///< where M has such
  double negligible = 0;                        ///< u = 0 will do where r^T u is no more, about
};

/// The solution of each, by conjugate gradients preconditioned with its inverses, all systems side by side. A
/// system is left where its residual, as it is preconditioned, is `accuracy` times the first, or after 150
/// steps. Throws Stopped.
std::vector<Matrix> solve(const CommonSigns& signs, const std::vector<LogitSystem>& systems, double accuracy,
                          const StopToken& stop);

}  // namespace hardhead::learner::mobius
