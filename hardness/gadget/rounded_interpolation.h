#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace hardhead::hardness {

/// The weights of exact_interpolation() (interpolation.h) as doubles, each the one nearest to the exact
/// rational, for H far beyond what exact numbers are handy for (the rationals have O(H^2 log B) bits).
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

}  // namespace hardhead::hardness
