#pragma once
#include <cstdint>
#include <span>

/// How many heads a function of h needs, if every head is a step of the same slope (switch_gadget.h) at any
/// real place and of any weight. Statement and proof are this project's.
///
/// Let x = B^(2h), y_i = B^(2 t_i) > 0, all different. M steps with a constant are
///
///     G(x) = kappa + sum_i w_i y_i / (x + y_i) = P(x) / prod_i (x + y_i),    deg P <= M,
///
/// so that, unless G is constant, G - c has at most M roots x > 0, with multiplicities. If G meets g at h = 0
/// .. H then G - c has at least Z(c) of them: each h with g(h) = c is one, and between two neighbours among
/// the h with g(h) != c that have r such h between them there are r roots, or r + 1 where the sign of g - c
/// asks for the other parity.
///
/// 1. *Up to a constant*: M >= max_c Z(c), for a g that is not constant.
/// 2. *The very labels*: W = sum of all weights = 0 and kappa = 0, where one of the M heads may be flat
/// (Theta =
///    0, the constant u/2 of its weight u). Without one, P(0) = 0 since G(0) = W = 0, and deg P <= M - 1
///    since G vanishes at infinity: Z(0) <= M - 2. With one, there are M - 1 steps, so Z(0) <= M - 1; their
///    weights sum to -u, so G(0) = -u/2 and G(infinity) = u/2 have different signs: G has an odd number of
///    roots, and for even Z(0) at least one more. Either way M >= Z(0) + 1 for odd, Z(0) + 2 for even Z(0),
///    and M >= Z(c) for all other c as before.
///
/// The parity of m bits changes sign m times: m steps up to a constant, m + 2 heads for the very labels where
/// m is even, m + 1 where it is odd. `minimal` and `exact` of family `parity` have these numbers: they are
/// optimal. Any function of h = 0 .. H is met by H + 2 heads (interpolation.h).
namespace hardhead::hardness {

/// max_c Z(c): steps that a function g(0) .. g(H) needs at least, met up to a constant; 0 for a constant.
std::int64_t least_steps(std::span<const std::int64_t> g);

/// Heads that its very labels need at least, with W = 0 and kappa = 0; 0 if it is 0 everywhere.
std::int64_t least_heads(std::span<const std::int64_t> g);

}  // namespace hardhead::hardness
