#pragma once
#include <cstdint>
#include <optional>

#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// Information-set decoding of parity with noise: N labels are a word of a random code of dimension n with
/// some rate N errors. A *trial* takes n independent samples, the information set, and writes `checks` others
/// in their terms. For each choice of at most `errors` wrong labels in each half of the information set, it
/// knows which labels of the others are then wrong: the sum of `errors` columns or fewer, in GF(2). A choice
/// that leaves few of them wrong is a candidate for the secret.
///
///     errors = 0   Prange's ("The use of information sets in decoding cyclic codes", IRE Trans. Inform.
///                  Theory 8, 1962): every label of the set is right. For samples without end it is pooled
///                  Gauss (A. Esser, R. Kuebler, A. May, "LPN decoded", CRYPTO 2017)
///     errors > 0   Stern's ("A method for finding codewords of small weight", 1988): sums of the two halves
///                  are matched on `matched` check labels, which have to be right
///
/// With S = sum_{i <= errors} C(n/2, i) choices a half, a trial takes 2 S + S^2 / 2^matched steps, and finds
/// the secret with probability
///
///     P(Binomial(n/2, rate) <= errors)^2 (1 - rate)^matched.
///
/// The next trial exchanges `exchanged` samples of the set for others. Fewer are cheaper, but a trial is
/// then less different from the last: of the sets that succeed, about 1 - (1 - rate (1 - back))^exchanged are
/// new, where a half spoilt by one wrong label comes `back` if that label leaves before another one joins it.
struct DecodingPlan {
  int errors = 0;                        ///< wrong labels in a half of the set, at most
  int matched = 0;                       ///< check labels by which halves are matched
  std::int64_t exchanged = 0;            ///< samples exchanged before a trial
  std::int64_t checks = 0;               ///< samples beside the information set, `matched` ones included
  double log2_trials = 0;                ///< expected number
  double seconds = 0, memory_bytes = 0;  ///< predicted
};

/// The cheapest plan with at most so many errors in each half, 0 .. 4; empty where there are no samples
/// beside n. The rate is below 1/2.
std::optional<DecodingPlan> plan_decoding(const ProblemParameters& parameters, std::int64_t samples,
                                          int most_errors);

/// Most errors of a half that are tried.
inline constexpr int most_half_errors = 4;

}  // namespace hardhead::lwe
