#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "attention/layer/exact.h"
#include "hardness/gadget/alternating_sum.h"

/// M heads that hide m = 2 M - 1 bits: one wide ramp and K = M - 1 steps, of two slopes.
///
/// With n = 2 K + 1 and L = ln B let the steps have slope 2 L (v = B^4) and the ramp the k-th part of it, and
/// let
///
///     G(h) = w_0 sigma_ramp(h) + sum_j w_j sigma_step_j(h) = (-1)^h + W/2   for h = 0 .. n,   W = sum_i w_i:
///
/// an odd sum (alternating_sum.h), whose ramp lies at n/2, with places and weights symmetric about it: M
/// equations and as many unknowns. The ramp falls by about 2 from each h to the next; each step rises by
/// about 4 between an odd h and the next. Newton's method starts from such steps, at 2 j - 1/2, and a
/// solution next to where it comes to rest is proved.
///
/// For an even m the sum of m + 1 is read at h = 0 .. m. For m <= 3 all places are n/2, and with k = 2
/// weights, places and slopes are rational in the sense of ExactLayer: two heads hide three bits, exactly.
///
/// k is chosen for small weights, 10/3 K at B = 4: a wider ramp weighs more, a steeper one bends and has to
/// be straightened. The largest weight is then about 5 m at B = 4.
namespace hardhead::hardness {

/// Most bits for which the heads are made: half a second.
inline constexpr long max_compact_bits = 64;
/// The largest B.
inline constexpr long max_compact_base = 16;

/// Throws InputError for an m not in 1 .. max_compact_bits and a B not in 2 .. max_compact_base.
void check_compact(long m, std::int64_t base);

/// M = floor(m / 2) + 1.
long compact_heads(long m);

/// k, by how much the steps are steeper than the ramp: 1 for m = 1 (no step), 2 for m = 2, 3, and else the
/// least k with B^(5K) <= 2^(3k).
long compact_ratio(long m, std::int64_t base);

/// The sum, proved: the ramp, then the steps from left to right. Throws as check_compact(), and Error where
/// Newton's method or the proof fails (at no m and B in these ranges: all were tried).
StepSum compact_sum(long m, std::int64_t base);

/// Its weights as rationals, where slopes and places are in the units of ExactLayer: m <= 3.
std::optional<std::vector<Rational>> exact_compact_weights(long m, std::int64_t base);

/// The sum as an attention layer behind the switch (switch_gadget.h).
struct CompactLayer {
  attention::Layer layer;                      ///< every entry the double nearest to the solution's
  std::optional<attention::ExactLayer> exact;  ///< for m <= 3, where the solution is rational
  Rational weight_sum;                         ///< W: exact with `exact` or a flat head, else to 2^-200 of it
};

/// Theta_i = (ln(v_i) / 2) diag(s) + (ln(z_i) / 2) e_{j0} e_{j0}^T, W_i = w_i e_{j0} e_1^T: the ramp, the
/// steps from left to right, and with `flat` a head of Theta = 0 and weight -W, which makes W and the
/// constant 0. `s` has a 1 for each of the m hidden features and a 0 for all others. Throws as compact_sum().
CompactLayer compact_layer(const std::vector<std::int64_t>& s, attention::Index switch_coordinate,
                           std::int64_t base, bool flat);

/// Bytes that finding and proving the sum of m bits takes: an upper bound.
double compact_bytes(long m);

}  // namespace hardhead::hardness
