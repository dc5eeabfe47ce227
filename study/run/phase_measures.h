#pragma once
#include <cstdint>
#include <vector>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
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

}  // namespace hardhead::study
