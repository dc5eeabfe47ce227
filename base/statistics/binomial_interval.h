#pragma once
#include <cstdint>

namespace hardhead::statistics {

/// low .. high, both included.
struct Interval {
  double low = 0, high = 1;  ///< its ends
};

/// Exact (Clopper-Pearson) interval for a success probability after `successes` of `trials`:
///
///     low  = Beta^-1(a/2; s, n - s + 1)   (0 for s = 0),
///     high = Beta^-1(1 - a/2; s + 1, n - s)   (1 for s = n),   a = 1 - confidence.
///
/// [0, 1] for no trial. Throws InputError unless 0 <= successes <= trials and 0 < confidence < 1.
Interval clopper_pearson(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

}  // namespace hardhead::statistics
