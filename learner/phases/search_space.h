#pragma once
#include "learner/affine_hull.h"

namespace hardhead::learner {

/// Where phase 6 looks for the heads (phase 5): a ball in an affine subspace, around its point of least norm.
struct SearchSpace {
  AffineHull flat;             ///< the subspace that the Theta_i are taken from
  double radius = 0;           ///< of the ball, Frobenius
  attention::Index heads = 1;  ///< sought, m

  /// Coordinates of a head.
  attention::Index dimension() const { return static_cast<attention::Index>(flat.directions.size()); }
};

/// Radius of a ball around the hull's least-norm point that should hold the heads: `distances` times
/// |offset| sqrt(m-1). If the Theta_i are orthogonal and equally long, the least-norm point has norm
/// |Theta_i| / sqrt(m), and each is |offset| sqrt(m-1) away from it.
double net_radius(const AffineHull& hull, double distances);

/// Practical route: the heads lie on the hull, m - 1 coordinates each.
SearchSpace on_hull(const AffineHull& hull, double distances);

/// The paper's route: the heads lie in the linear span of the hull, m coordinates each.
SearchSpace in_span(const AffineHull& hull, double distances);

}  // namespace hardhead::learner
