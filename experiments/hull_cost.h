#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/run/run_context.h"
#include "study/run/run.h"
#include "study/sweep/journal.h"

namespace hardhead::experiments {

/// On which examples the hull of phases 1 to 4 is read off, and how near to the heads it is to be.
struct HullReadings {
  std::string source;         ///< a spec whose layer is known, with its seed
  std::uint64_t seed = 1;     ///< of the examples
  std::int64_t first = 1000;  ///< examples of the first reading; the j-th is at first 2^(j/4)
  std::int64_t most = 1000;   ///< the last reading is at no more than these
  double near = 0.1;          ///< largest relative distance of a Theta_i from the hull
};

/// Reads the hull off ever longer prefixes of one stream of examples (learner/phases/growing_hull.h), the
/// number of heads told, until two readings on end are near enough: below 32,768 examples phases 1 to 4 are
/// done afresh at each reading, above them every fourth reading refines W_sum and the others carry the
/// certified rows on.
///
/// The result is a run of `sculpt` without a layer. Each of its phases is a reading: examples, seconds,
/// hull_distance, hull_distance_mean, eigenvalue_gap. A prefix too short for a hull has no reading. Throws
/// InputError for a source without a known layer, and Stopped. With a journal the result is taken from it if
/// it is there, and written there if not.
study::RunResult read_hull(const HullReadings& readings, const std::optional<study::JournalFile>& journal,
                           const RunContext& context);

/// What a hull near the heads cost.
struct HullCost {
  /// Where the distance comes down to `near`: interpolated in (ln examples, ln distance) between the last
  /// reading above and the first of two on end that are not. If none is, those of the last reading.
  double examples = 0;
  bool censored = false;  ///< it was not reached: it costs more than that
  bool at_first = false;  ///< no reading was above: it costs no more than that
  double seconds = 0;     ///< of all readings
};

/// From the phases of a run that read_hull() returned.
HullCost hull_cost(const study::RunResult& run, double near);

}  // namespace hardhead::experiments
