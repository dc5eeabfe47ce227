#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "learner/mobius/common_signs.h"

namespace hardhead::learner::mobius {

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
  Matrix typical;                               ///< m x m, positive: about what M does to a row, on its right
  Matrix right;                                 ///< r, d x m
  SlowDirections slow{};                        ///< where M has such
  double negligible = 0;                        ///< u = 0 will do where r^T u is no more, about
};

/// How far conjugate gradients go, in the norm of the residual as it is preconditioned, relative to the
/// first.
struct Accuracy {
  double wanted = 0;  ///< they end there
  double enough = 0;  ///< what counts as solved where rounding keeps them from going on
};

/// The solution of each, by conjugate gradients preconditioned with (Z^T Z)^-1 and typical^-1, all systems
/// side by side. None is given for one that is not solved in 150 steps. Throws Stopped.
std::vector<std::optional<Matrix>> solve(const CommonSigns& signs, const std::vector<LogitSystem>& systems,
                                         const Accuracy& accuracy, const StopToken& stop);

}  // namespace hardhead::learner::mobius
