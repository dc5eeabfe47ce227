#pragma once
#include <variant>
#include <vector>

#include "attention/sample_source.h"
#include "learner/observer.h"

namespace hardhead::study {

/// Keeps what a learner estimates, phase by phase, and measures it against the truth when the run is over:
/// nothing flows back, and no phase's seconds grow.
///
///     W_sum   w_sum_error = ||What - W_sum|| / ||W_sum||
///     hull    hull_distance, hull_distance_mean: largest and mean of dist(Theta_i, hull) / ||Theta_i||
///     layer   test_error; with the truth known theta_error, w_error: the largest over the matched heads
///
/// Norms are Frobenius. A measure whose true norm is 0 is left out; so is all that needs the true layer where
/// that is unknown.
class TruthObserver final : public learner::Observer {
 public:
  void w_sum(std::size_t phase, const attention::Matrix& estimate) override;
  void hull(std::size_t phase, const learner::AffineHull& estimate) override;
  void layer(std::size_t phase, const attention::Layer& estimate) override;

  /// Appends the measures to report.phases[i].measures. `truth` may be null; `test_count` examples of `test`
  /// are used.
  void join(const attention::Layer* truth, const attention::SampleSource& test, std::int64_t test_count,
            learner::Report& report) const;

 private:
  struct Seen {
    std::size_t phase;
    std::variant<attention::Matrix, learner::AffineHull, attention::Layer> estimate;
  };
  std::vector<Seen> seen_;
};

}  // namespace hardhead::study
