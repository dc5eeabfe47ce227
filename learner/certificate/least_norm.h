#pragma once
#include <functional>
#include <vector>

#include "learner/attention_names.h"

namespace hardhead::learner {

/// The point found, and how far from the least norm it can be.
struct LeastNormPoint {
  Vector point;  ///< in K, nearly of least norm
  /// (||x||^2 - min over the body of <x, v>) / ||x||^2 at the point x: its squared distance to the point of
  /// least norm is at most gap ||x||^2.
  double gap = 0;
  int queries = 0;  ///< of the oracle
};

/// The point of least norm of a convex body that is known by a linear oracle: `least(x)` is a point v of the
/// body that minimises <x, v>. Wolfe's algorithm (P. Wolfe, "Finding the nearest point in a polytope", Math.
/// Programming 11, 1976; a fully corrective Frank-Wolfe method), started from `known` points of the body (at
/// least one) and asking the oracle only when those found so far do not improve the point. Ends when the gap
/// is at most `tolerance`, after `most_queries`, or at the origin (then with the gap of the last query).
LeastNormPoint least_norm_point(std::vector<Vector> known, const std::function<Vector(const Vector&)>& least,
                                double tolerance, int most_queries);

}  // namespace hardhead::learner
