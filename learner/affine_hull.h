#pragma once
#include <vector>

#include "attention/layer/layer.h"

namespace hardhead::learner {

/// An affine subspace of R^{d x d}: { offset + sum_l c_l directions[l] }. The estimate of
/// { sum_i lambda_i Theta_i : sum_i lambda_i = 1 }, the affine hull of the heads' attention forms.
struct AffineHull {
  attention::Matrix offset;  ///< d x d, orthogonal to the directions: the point of least norm
  std::vector<attention::Matrix> directions;  ///< m - 1 matrices, orthonormal in the Frobenius product

  /// m: one more than the dimension.
  attention::Index heads() const { return static_cast<attention::Index>(directions.size()) + 1; }
  /// offset + sum_l coordinates[l] directions[l].
  attention::Matrix point(const attention::Vector& coordinates) const;
  /// Frobenius distance of `theta` to the subspace.
  double distance(const attention::Matrix& theta) const;
};

/// The linear span of an affine subspace: offset 0, and an orthonormal basis of one dimension more.
AffineHull linear_span(const AffineHull& hull);

}  // namespace hardhead::learner
