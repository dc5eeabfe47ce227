#pragma once
#include <cstdint>

#include "learner/hull.h"

namespace hardhead::learner {

struct PolytopeOptions {
  double slack = 4;  ///< eps in multiples of the least eps for which K is not empty
};

/// The hull from certified rows (phases 2 and 4), by the paper's route: the convex body
///
///     K = { Theta : |sqrt(p_a) (x_r^T Theta (x_a - xbar) - (ln p_a - sum_b p_b ln p_b))| <= eps for all
///           certified rows and all a,  |Theta_fg| <= bound },
///
/// the equations of hull.h as inequalities. K is long along the affine hull of the Theta_i and thin across it.
HullEstimate polytope_hull(const Harvest& harvest, const HullOptions& hull, const PolytopeOptions& options,
                           const RunControl& control);

}  // namespace hardhead::learner
