#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "learner/phases/hull.h"
#include "learner/report.h"

namespace hardhead::study {

/// What the estimates of a run's phases are measured against.
struct Yardstick {
  const attention::Layer* truth = nullptr;  ///< null where it is unknown
  const attention::SampleSource& test;      ///< fresh examples
  std::int64_t test_count = 0;              ///< as many of them as are used
};

/// Measures what the phases of a finished run estimated, and appends that to their measures:
///
///     W_sum   w_sum_error = ||What - W_sum|| / ||W_sum||
///     hull    hull_distance, hull_distance_mean: largest and mean of dist(Theta_i, hull) / ||Theta_i||
///     layer   test_error; with the truth known theta_error, w_error: the largest over the matched heads
///
/// Norms are Frobenius. A measure whose true norm is 0 is left out; so is all that needs the true layer where
/// that is unknown. The estimates themselves are let go of, so that results of many runs stay small. Throws
/// Stopped.
void measure_phases(const Yardstick& yardstick, std::vector<learner::Phase>& phases,
                    const RunContext& context = {});

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
