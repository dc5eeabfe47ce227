#pragma once
#include <cstdint>
#include <vector>

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

/// Successes among trials at one place.
struct Successes {
  std::int64_t successes = 0;  ///< 0 .. trials
  std::int64_t trials = 0;     ///< at least 1
};

/// The nondecreasing success probabilities of the greatest likelihood, one for each place in the order given:
/// neighbours whose shares fall are pooled until none does (Ayer, Brunk, Ewing, Reid and Silverman, "An
/// empirical distribution function for sampling with incomplete information", 1955). Throws InputError unless
/// 0 <= successes <= trials and trials > 0 everywhere.
std::vector<double> nondecreasing_shares(const std::vector<Successes>& places);

}  // namespace hardhead::statistics
