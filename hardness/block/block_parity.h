#pragma once
#include "hardness/families/instance.h"

/// # Family `block-parity`: a parity of m bits behind one head and m + 2 or m + 3 units
///
///     Theta = ln B (diag(s) - t e_j0 e_j0^T),   W = e_j0 e_1^T,   s the indicator of the hidden set S,
///     F(X)_{r,1} = x_{r,j0} y,   y = 1 where the switch is off, y_h = (B^(2(h-t)) - 1) / (B^(2(h-t)) + 1)
///
/// where it is on, h = <s, b> in 0 .. m: one step of the switch gadget (gadget/switch_gadget.h), strictly
/// increasing and rational. N is a network of the one input F_{r,1} that goes through (+-y_h, +-g(h)) and
/// (+-1, 0), g(h) = -2 (-1)^h, so that
///
///     T(X)_{r,1} = N(F(X))_{r,1} = -2 x_{r,j0} [z_j0 = -1] chi_S(z),   all other columns 0.
///
/// *Units.* For t < 0 all y_h are above 0 and no -y_h is a y_h': 2 m + 4 points, through which 2 m + 3 units
/// go, for *any* function g of h. For the parity 2 t = m (m odd) or m + 1 (m even) is better: -y_h = y_{2t -
/// h}, and g(2t - h) = -g(h) since 2 t is odd, so that the negatives of points are points. That leaves m + 3
/// points for odd m and m + 4 for even m: m + 2 and m + 3 units. Weights are of size B^m, not B^(m^2).
///
/// *Statistical queries.* On tokens of signs T is, label for label, the layer of `parity:variant=exact` with
/// the same S: null(X) = 0, and given X the label is one of the two values +-r(X), r(X) = 2 [z_j0 = -1] in
/// size, the sign being chi_S(z) up to a public one. That is all that the proof in
/// sq/dimension/parity_bound.h uses, so its bound 4 tau^2 (alpha C(d-1, m) - 1/delta) holds as it stands. For
/// a learner by examples the two families cannot be told apart. Elimination over GF(2) (lwe/problem/gf2.h)
/// and `flip` read S, as there.
///
/// *What hides m bits* (m even; parity_heads(); numbers that are neither 0 nor shared by all members):
///
///     family, variant        heads              units
///     parity, exact          m + 2              none
///     parity, minimal        m                  none
///     parity, compact        floor(m/2) + 1     none
///     block-parity           1                  m + 3
///
/// *Traps.* Labels are chosen from a table and never made by a forward pass (hardness.h, trap 2). Weights
/// depend on m and B only.
namespace hardhead::hardness {

/// 2 t: the odd one of m and m + 1.
constexpr attention::Index block_parity_twice_step(attention::Index m) {
  return m + (m + 1) % 2;
}
/// m + 2 for odd m, m + 3 for even m.
constexpr attention::Index block_parity_units(attention::Index m) {
  return block_parity_twice_step(m) + 2;
}
/// y_h, for any integer h.
Rational block_parity_value(attention::Index m, std::int64_t base, attention::Index h);

/// A network of one input: start + sum_i weights[i] relu(z - knots[i]), in rationals.
struct UnitInterpolation {
  Rational start;                 ///< the value left of all knots
  std::vector<Rational> knots;    ///< ascending
  std::vector<Rational> weights;  ///< of each unit
};
/// N as a function of F_{r,1}: through n points by n - 1 units, knots at all points but the last, weights the
/// changes of slope.
UnitInterpolation block_parity_network(attention::Index m, std::int64_t base);

}  // namespace hardhead::hardness
