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
/// summed in 320 bits until the terms left out are below 2^-130 of it; a weight is returned only if
/// everything within the error bound (terms left out, and (8 H + 64) 2^-318 of the terms' absolute sum for
/// rounding) rounds to the same double.
///
/// A weight of 0 cannot be certified so; it is known where g is 0 and, since h -> H - h maps the weights to
/// w_i -> -w_{H+1-i}, in the middle of a symmetric g. Throws InputError if g is empty, B < 2 or H > 2^20;
/// Error naming the weight if the certificate fails, which for weights without special structure happens with
/// probability about 2^-70 each.
std::vector<double> rounded_interpolation(std::span<const std::int64_t> g, std::int64_t base);

}  // namespace hardhead::hardness
