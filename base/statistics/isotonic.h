#pragma once
#include <cstdint>
#include <vector>

namespace hardhead::statistics {

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
