#include "study/run/phase_measures.h"

#include <algorithm>
#include <variant>

#include "study/run/match.h"
#include "study/run/test_error.h"

namespace hardhead::study {
namespace {

using attention::Layer;

struct Measure {
  const Yardstick& yardstick;
  learner::Phase& phase;
  const RunContext& context;

  void operator()(const learner::WSumEstimate& w_sum) const {
    const Layer* truth = comparable(w_sum.value.rows());
    if (truth == nullptr || truth->network) return;
    if (const auto error = w_sum_error(*truth, w_sum.value)) phase.add("w_sum_error", *error);
  }

  void operator()(const learner::AffineHull& hull) const {
    const Layer* truth = comparable(hull.offset.rows());
    if (truth == nullptr) return;
    const auto distance = hull_distance(*truth, hull, last_feature(yardstick.test.inputs()));
    if (!distance) return;
    phase.add("hull_distance", distance->largest);
    phase.add("hull_distance_mean", distance->mean);
  }

  void operator()(const Layer& layer) const {
    phase.add("test_error", test_error(layer, yardstick.test, yardstick.test_count, context));
    const Layer* truth = comparable(layer.d);
    if (truth == nullptr || !can_be_matched(*truth, layer)) return;
    const HeadMatch match =
        match_heads(*truth, layer, yardstick.test.k(), context.stop, last_feature(yardstick.test.inputs()));
    add_largest("theta_error", match.theta_error);
    add_largest("w_error", match.w_error);
  }

  // The true layer, if it is known and has as many features as the estimate.
  const Layer* comparable(attention::Index d) const {
    return yardstick.truth != nullptr && yardstick.truth->d == d ? yardstick.truth : nullptr;
  }

  void add_largest(const char* name, const std::vector<std::optional<double>>& errors) const {
    const auto largest = std::max_element(errors.begin(), errors.end());  // an empty one is the least
    if (largest != errors.end() && *largest) phase.add(name, **largest);
  }
};

}  // namespace

void measure_phases(const Yardstick& yardstick, std::vector<learner::Phase>& phases,
                    const RunContext& context) {
  for (learner::Phase& phase : phases) {
    for (const learner::Estimate& estimate : phase.estimates)
      std::visit(Measure{yardstick, phase, context}, estimate);
    phase.estimates.clear();
  }
}

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
