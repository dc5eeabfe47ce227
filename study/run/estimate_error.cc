#include "study/run/estimate_error.h"

#include <algorithm>

namespace hardhead::study {

bool w_sum_vanishes(const attention::Layer& layer) {
  // Weights that sum to 0 exactly do so up to rounding as doubles.
  double scale = 0;
  for (const attention::Head& head : layer.heads) scale += head.w.norm();
  return layer.w_sum().norm() <= 1e-12 * scale;
}

std::optional<double> w_sum_error(const attention::Layer& truth, const attention::Matrix& estimate) {
  if (w_sum_vanishes(truth)) return std::nullopt;
  const attention::Matrix exact = truth.w_sum();
  return (estimate - exact).norm() / exact.norm();
}

std::optional<HullDistance> hull_distance(const attention::Layer& truth, const learner::AffineHull& hull,
                                          attention::LastFeature last) {
  HullDistance out;
  double count = 0;
  for (const attention::Head& head : truth.heads) {
    attention::Matrix theta = head.theta;
    if (last == attention::LastFeature::is_one) theta.rightCols(1).setZero();
    const double norm = theta.norm();
    if (norm == 0) continue;
    const double distance = hull.distance(theta) / norm;
    out.largest = std::max(out.largest, distance);
    out.mean += distance;
    count += 1;
  }
  if (count == 0) return std::nullopt;
  out.mean /= count;
  return out;
}

}  // namespace hardhead::study
