#include "study/run/phase_measures.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "study/run/estimate_error.h"
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
    phase.add("test_error", test_error(&layer, yardstick.test, yardstick.test_count, context));
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

}  // namespace hardhead::study
