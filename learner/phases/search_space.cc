#include "learner/phases/search_space.h"

#include <cmath>

namespace hardhead::learner {

double net_radius(const AffineHull& hull, double distances) {
  return distances * hull.offset.norm() * std::sqrt(static_cast<double>(hull.directions.size()));
}

SearchSpace on_hull(const AffineHull& hull, double distances) {
  return {hull, net_radius(hull, distances), hull.heads()};
}

SearchSpace in_span(const AffineHull& hull, double distances) {
  return {linear_span(hull), std::hypot(net_radius(hull, distances), hull.offset.norm()), hull.heads()};
}

}  // namespace hardhead::learner
