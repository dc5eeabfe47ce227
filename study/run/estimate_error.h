#pragma once
#include <optional>

#include "learner/phases/hull.h"

namespace hardhead::study {

/// Is W_sum = sum_i W_i zero, up to rounding: ||W_sum|| <= 1e-12 sum_i ||W_i||? So it is where all W_i are 0.
bool w_sum_vanishes(const attention::Layer& layer);

/// ||estimate - W_sum|| / ||W_sum||, Frobenius; empty where W_sum = 0.
std::optional<double> w_sum_error(const attention::Layer& truth, const attention::Matrix& estimate);

/// dist(Theta_i, hull) / ||Theta_i|| over the heads with Theta_i != 0.
struct HullDistance {
  double largest = 0, mean = 0;  ///< over the heads
};
/// Empty where every Theta_i = 0. If the last feature is the constant 1, the last columns of the Theta_i,
/// which are free, count as 0, as they are in a hull (learner/phases/hull.h).
std::optional<HullDistance> hull_distance(const attention::Layer& truth, const learner::AffineHull& hull,
                                          attention::LastFeature last = attention::LastFeature::varies);

}  // namespace hardhead::study
