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

/// The weights of exact_interpolation() as doubles, each the one nearest to the exact rational, for H far
/// beyond what exact numbers are handy for (the rationals have O(H^2 log B) bits).
///
/// With S(k) = prod_{j=1..k} (1 + B^(1-2j)) and D(k) = prod_{j=1..k} (1 - B^(-2j)), the powers of B in the
/// residues of interpolation.cc cancel but for one:
///
///     w_i = -(-1)^i S(i) S(H+1-i) / (D(i) D(H+1-i))
///           sum_h (-1)^h g(h) S(h+1) S(H+1-h) / (D(h) D(H-h)) B^(-dist) / (1 + B^(-|2h-2i+1|)),
///     dist = h - i for h >= i, i - 1 - h for h < i;   i = 0 .. H+1, the step at i - 1/2.
///
/// All factors lie in (0.6, 2.4), so the sum is one of geometrically falling terms. **Certificate**: it is
/// summed in numbers of `bits` bits until the terms left out are below 2^(30 - bits/2) of it, or below
/// 2^-bits of the terms' absolute sum. A weight is taken only if everything within the error bound (terms
/// left out, and (8 H + 64) 2^(2 - bits) of the terms' absolute sum for rounding) rounds to the same double.
///
/// 320 bits decide a weight whose terms do not cancel. In the middle of a plateau of a periodic g they do:
/// its two edges act against each other, and what is left of the weight may be of the size of B^-H. 1600 bits
/// decide these too (certified_rounding.h). A weight so near to the middle of two doubles that neither
/// decides is made as a rational (exact_interpolation_weight(), with its cost).
///
/// Where g is 0, and in the middle of a symmetric g (h -> H - h maps the weights to w_i -> -w_{H+1-i}), a
/// weight is known to be 0. Throws InputError if g is empty, B < 2 or H > 2^20, and as
/// exact_interpolation_weight() and round_to_nearest() do.
std::vector<double> rounded_interpolation(std::span<const std::int64_t> g, std::int64_t base);

/// Fewest steps: H steps at 1/2, .., H - 1/2, with the additive constant that makes the system square.
/// For g(h) = (-1)^h the weights sum to 0 if H is even and to 2 * offset if H is odd (t -> H - t maps the
/// system to itself, and its solution is unique). Time and errors as above.
StepWeights minimal_steps(std::span<const Rational> g, std::int64_t base);

/// sum_i weights[i] sigma(h - steps[i]), summed step by step, for any integer h.
Rational evaluate(const StepWeights& steps, std::int64_t base, long h);

}  // namespace hardhead::hardness
