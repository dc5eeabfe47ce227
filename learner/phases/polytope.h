#pragma once
#include <cstdint>

#include "learner/phases/hull.h"

namespace hardhead::learner {

/// The hull from certified rows (phases 2 and 4), by the paper's route: linear programmes over the
/// convex body
///
///     K = { Theta : |<A_e, Theta> - b_e| <= eps for all equations e,
///                   |<v_i, Theta - C>| <= bound for all i },
///
/// whose equations are the independent ones of equations.h. K is long along the affine hull of the Theta_i
/// and thin across it. The bound matters only where rows agree exactly, so that the equations leave K
/// unbounded along the hull: v_i are the principal axes of the left sides A_e, C is the least-squares
/// solution of least norm, and bound = 10 max(1, ||C||); a form of norm 1 has logits of standard deviation 1.
/// Elsewhere the equations imply |<v_i, Theta - C>| <= (eps + rms residual) / (rms left side along v_i),
/// which is less. These axes, in units of these half-widths, are the coordinates of the programmes, which are
/// ill-conditioned otherwise: K is a thousand times longer than thick.
///
/// 1. eps = slack t*, with t* = min over Theta of max_e |<A_e, Theta> - b_e| (the Chebyshev problem), and at
///    least 1e-9 logits. The d^2 unknowns fit much of the noise: at m = 2 the Theta_i themselves violate the
///    equations by 5 to 7 t*. K need not hold them, it is long along the hull all the same.
/// 2. The proxy Theta*: K's point of least norm, by linear programmes too (least_norm.h, relative gap 1e-2,
///    ten queries at most: a smaller gap costs programmes and gains nothing). It is nearer to 0 than the hull
///    by K's half-width at most: with slack 1.5 and a refined W_sum by less than a hundredth of its norm (k =
///    2, m = 2) or a few hundredths (k = 3 or m = 3); with a crude W_sum by a seventh to a half, and with
///    slack 4 by a half and more, where phase 3 can go wrong.
/// 3. Long directions, orthogonal to Theta* and to those found: the two points of K farthest apart along a
///    random direction, then again along their difference, whose length is the direction's. Orthogonal to
///    Theta*, as the hull's directions are to its point of least norm, because rows of small score have small
///    logits: with a crude W_sum K is long along Theta* as well, and one head too many would be counted. At
///    last once more along each, free of Theta*.
/// 4. The number of heads m, unless it is stated: with lengths[0] = ||C||, which the lengths along the hull
///    are not much below, the largest ratio lengths[m-1] / lengths[m] names m, or m = 1 if none is above 1.5:
///    K has no shape then, and the offset is Theta* itself. Directions are sought until one is ten times
///    shorter than the one before, or two are two and a half times shorter than the longest.
/// 5. The offset is Theta* less its components along the directions.
///
/// In the answer `spectrum` holds the lengths (descending but for chance), and `gap` is
/// lengths[m-1] / lengths[m].
///
/// Clp runs in a child process. Throws InsufficientData where it finds no answer (slack < 1: K is empty) or
/// dies, and Stopped. Deterministic. Needs fewest_rows(d, k) rows; two or three times as many do best: more
/// rows are worse rows, and cost more.
HullEstimate polytope_hull(const Harvest& harvest, const HullOptions& options, const RunContext& context);

/// Seconds that polytope_hull takes on `rows` rows, within a factor of 3: 10 m linear programmes of 7e-9 s
/// for each rows (k - 1) d^4. Measured with Clp 1.17 on one core at d = 8, 12, 16, 20 (k = 2) and d = 12, 16
/// (k = 3), three to eight times fewest_rows; 6 to 10 programmes for m = 1, 13 to 20 for m = 2, 20 to 32 for
/// m = 3. With a crude W_sum, m not stated and small d no direction is thin, and the search runs up to
/// max_heads.
double predicted_lp_seconds(Index d, Index k, std::int64_t rows, Index heads);

/// Bytes that polytope_hull() takes at most for this many certified rows, besides its harvest: in this
/// process and in the child that solves the linear programmes.
double polytope_bytes(Index d, Index k, std::int64_t rows);

}  // namespace hardhead::learner
