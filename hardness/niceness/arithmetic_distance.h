#pragma once
#include <span>

#include "base/run/stop_token.h"

namespace hardhead::hardness {

/// The arithmetic pattern sZ + o that numbers x_1 .. x_n are nearest to, in units of what no pattern can
/// miss.
struct ArithmeticFit {
  double distance = 0;  ///< 0: all on the pattern; 0.87 and more: none fits; see below
  double spacing = 0;   ///< s
  double offset = 0;    ///< o, in [0, s)
};

/// The least over s >= least_spacing * R and o of
///
///     RMS_i( x_i - nearest point of sZ + o ) / min(s / sqrt 12, R),     R = RMS_i(x_i).
///
/// s / sqrt 12 is the distance of equidistributed numbers, which any fine pattern comes near to, and R that
/// of the pattern that rounds all to 0, which any coarse one does. Long lists of uniform or of normal numbers
/// have 0.87 (two or three points fit a little better than either); n random numbers fall below by the order
/// of sqrt(log(n) / n). Scaling all numbers changes nothing.
///
/// Search: spacings so close that a pattern between two of them shows at a distance larger by at most 0.1 (to
/// first order); offsets exactly, but for numbers within 1/256 of half a spacing from the pattern; then, from
/// the 8 best, least squares for (s, o) alternating with rounding. So the result is the distance of the
/// pattern it comes with, and at most about 0.1 above the least one. Numbers on a pattern are on finer ones,
/// too: where the distance is at most 1e-12, which rounding makes, the pattern is the coarsest.
///
/// Time: about (17 / least_spacing + 6 log R'/R) n steps, R' = max - min, in parallel over spacings.
/// `entries` finite, not all 0 (else distance 0); least_spacing > 0.
ArithmeticFit arithmetic_distance(std::span<const double> entries, double least_spacing,
                                  const StopToken& stop = {});

}  // namespace hardhead::hardness
