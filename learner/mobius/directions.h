#pragma once
#include <optional>

#include "base/run/stop_token.h"
#include "learner/mobius/points.h"

namespace hardhead::learner::mobius {

/// V less its mean, in the directions that it varies in most.
struct Directions {
  Eigen::RowVectorXd mean;  ///< 1 x d
  Matrix basis;             ///< d x m, orthonormal: the leading right singular vectors of V - mean
  Vector deviations;        ///< m, root mean squares of V - mean in them, descending
  Index shown = 0;          ///< how many singular values are more than rounding and noise make

  /// Coordinates, N x m.
  Matrix of(const Matrix& v) const { return (v.rowwise() - mean) * basis; }
  /// The same with a mean square of 1 in each.
  Matrix white(const Matrix& v) const { return of(v) * deviations.cwiseInverse().asDiagonal(); }
};

/// Of the rows of V, N x d: as many directions as stated, else as are shown. A singular value counts above
/// max(1e-10 |V|, 4 noise (sqrt(N) + sqrt(d))), where an entry of V is off by up to `noise`.
///
/// Few directions are found without decomposing V: it is multiplied with a few random vectors, and the span
/// improved by two steps of the power method (N. Halko, P. Martinsson, J. Tropp, "Finding structure with
/// randomness", SIAM Review 53, 2011, algorithm 4.4). The norm of what the span leaves of V is then estimated
/// by the power method; where it is not below what counts, twice as many vectors are tried, and V is
/// decomposed where they would be many. Throws Stopped.
Directions directions_of(const Matrix& v, std::optional<Index> stated, double noise, const StopToken& stop);

}  // namespace hardhead::learner::mobius
