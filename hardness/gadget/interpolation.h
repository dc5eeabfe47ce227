#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/numeric/rational.h"

namespace hardhead::hardness {

/// Weights of logistic steps that reproduce a function of an integer h exactly (ours; see hardness.h).
///
///     sum_i weights[i] * sigma(h - steps[i]) = g(h) + offset   for h = 0 .. H,
///     sigma(u) = 1 / (1 + B^(2u)),   steps half-integers given as twice_steps (odd integers).
struct StepWeights {
  std::vector<int> twice_steps;   ///< 2 t_i
  std::vector<Rational> weights;  ///< w_i
  Rational offset;                ///< kappa; 0 for exact interpolation
  /// g(h) + offset for h = 0 .. H, as the fits below guarantee it (summing the steps again costs O(H)
  /// operations on numbers of O(H^2 log B) bits for each h). Empty for steps put together by hand.
  std::vector<Rational> values;
};

/// Exact interpolation: H + 2 steps at -1/2, 1/2, .., H + 1/2, offset 0, and sum_i w_i = 0. `g` holds
/// g(0) .. g(H). Unique for every B >= 2 (a Cauchy system), and rational.
///
/// Time: O(H) products of integers of O(H^2 log B) bits for each weight. Throws InputError if g is empty or
/// B < 2.
StepWeights exact_interpolation(std::span<const Rational> g, std::int64_t base);

/// The weight w_i of exact_interpolation() alone, i = 0 .. H + 1. Its numbers have up to 2 (H + 2)^2 log2 B
/// bits; throws InputError with that number if there are more than 2^28 (32 MiB each), and as above.
Rational exact_interpolation_weight(std::span<const Rational> g, std::int64_t base, long i);

/// Fewest steps: H steps at 1/2, .., H - 1/2, with the additive constant that makes the system square.
/// For g(h) = (-1)^h the weights sum to 0 if H is even and to 2 * offset if H is odd (t -> H - t maps the
/// system to itself, and its solution is unique). Time and errors as above.
StepWeights minimal_steps(std::span<const Rational> g, std::int64_t base);

/// sum_i weights[i] sigma(h - steps[i]), summed step by step, for any integer h.
Rational evaluate(const StepWeights& steps, std::int64_t base, long h);

}  // namespace hardhead::hardness
