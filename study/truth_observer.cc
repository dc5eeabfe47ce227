#include "study/truth_observer.h"

#include <algorithm>
#include <optional>

#include "study/estimate_error.h"
#include "study/match.h"
#include "study/test_error.h"

namespace hardhead::study {
namespace {

using attention::Layer;
using attention::Matrix;

struct Measure {
  const Layer* truth;
  const attention::SampleSource& test;
  std::int64_t test_count;
  learner::Phase& phase;

  void operator()(const Matrix& w_sum) const {
    if (truth == nullptr || truth->d != w_sum.rows()) return;
    if (const auto error = w_sum_error(*truth, w_sum)) phase.add("w_sum_error", *error);
  }

  void operator()(const learner::AffineHull& hull) const {
    if (truth == nullptr || truth->d != hull.offset.rows()) return;
    const auto distance = hull_distance(*truth, hull);
    if (!distance) return;
    phase.add("hull_distance", distance->largest);
    phase.add("hull_distance_mean", distance->mean);
  }

  void operator()(const Layer& layer) const {
    phase.add("test_error", test_error(&layer, test, test_count));
    if (truth == nullptr || truth->d != layer.d) return;
    const HeadMatch match = match_heads(*truth, layer);
    add_largest("theta_error", match.theta_error);
    add_largest("w_error", match.w_error);
  }

  void add_largest(const char* name, const std::vector<std::optional<double>>& errors) const {
    const auto largest = std::max_element(errors.begin(), errors.end());  // an empty one is the least
    if (largest != errors.end() && *largest) phase.add(name, **largest);
  }
};

}  // namespace

void TruthObserver::w_sum(std::size_t phase, const Matrix& estimate) {
  seen_.push_back({phase, estimate});
}
void TruthObserver::hull(std::size_t phase, const learner::AffineHull& estimate) {
  seen_.push_back({phase, estimate});
}
void TruthObserver::layer(std::size_t phase, const Layer& estimate) {
  seen_.push_back({phase, estimate});
}

void TruthObserver::join(const Layer* truth, const attention::SampleSource& test, std::int64_t test_count,
                         learner::Report& report) const {
  for (const Seen& seen : seen_)
    if (seen.phase < report.phases.size())
      std::visit(Measure{truth, test, test_count, report.phases[seen.phase]}, seen.estimate);
}

}  // namespace hardhead::study
