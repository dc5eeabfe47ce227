#pragma once
#include <algorithm>

#include "learner/phases/hull.h"

namespace hardhead::learner::testing {

/// The affine hull of a layer's Theta_i, by Gram-Schmidt.
inline AffineHull true_hull(const attention::Layer& layer) {
  AffineHull hull;
  for (std::size_t i = 1; i < layer.heads.size(); ++i) {
    attention::Matrix direction = layer.heads[i].theta - layer.heads[0].theta;
    for (const attention::Matrix& other : hull.directions)
      direction -= other.cwiseProduct(direction).sum() * other;
    hull.directions.push_back(direction / direction.norm());
  }
  hull.offset = layer.heads[0].theta;
  for (const attention::Matrix& direction : hull.directions)
    hull.offset -= direction.cwiseProduct(hull.offset).sum() * direction;
  return hull;
}

/// How far the hull is from a head, as a share of the head's norm: the worst head.
inline double relative_distance(const AffineHull& hull, const attention::Layer& layer) {
  double worst = 0;
  for (const attention::Head& head : layer.heads)
    worst = std::max(worst, hull.distance(head.theta) / head.theta.norm());
  return worst;
}

}  // namespace hardhead::learner::testing
