#pragma once
#include <cstdint>
#include <span>

/// How many heads a function g(0) .. g(H) needs, if every head is a step sigma(-2 c_i (h - t_i)) of the
/// switch gadget (switch_gadget.h) at any real place and of any weight. It depends on the slopes c_i that
/// heads may have. Only logits that are affine in h = <s, b> are counted: of diagonals with unequal entries
/// nothing is said. Statements and proofs are this project's but where a source is named.
///
/// **Roots.** Let G(h) = kappa + sum_i w_i sigma(-2 c_i (h - t_i)) meet g at h = 0 .. H and not be constant.
/// G - c has at least Z(c) roots, a root without change of sign counted twice: each h with g(h) = c is one,
/// and between two neighbours among the h with g(h) != c that have r such h between them there are r roots,
/// or r + 1 where the sign of g - c asks for the other parity. *Up to a constant* means any kappa and W =
/// sum_i w_i; *the very labels* mean W = 0 and kappa = 0, where one of the M heads may be flat (Theta = 0,
/// the constant u/2 of its weight u).
///
/// 1. **One slope** (and one sign: sigma(-x) = 1 - sigma(x) turns the other one). In x = e^(2ch), y_i = e^(2c
/// t_i) > 0,
///
///        G = kappa + sum_i w_i y_i / (x + y_i) = P(x) / prod_i (x + y_i),    deg P <= M,
///
///    has each value at most M times: M >= max_c Z(c) up to a constant. *The very labels*: without a flat
///    head P(0) = 0, since G = W = 0 there, and deg P <= M - 1, since G vanishes at infinity: Z(0) <= M - 2.
///    With one there are M - 1 steps, Z(0) <= M - 1, and the two ends are -u/2 and u/2, so that the number of
///    roots is odd. Either way M >= Z(0) + 1 for odd, Z(0) + 2 for even Z(0), and M >= Z(c) for all other c
///    as before.
///
/// 2. **Slopes in a chain**: in falling order, each is a whole multiple of the next. A head's derivative
///    is a logistic density, whose characteristic function is prod_n (1 + s^2 t^2 / n^2)^-1 for width s. That
///    of width k s has all its factors, those of n = k, 2k, ..: it is the density of width s convolved with
///    the Laplace densities of all n that k does not divide, and convolution with Laplace densities adds no
///    changes of sign (Schoenberg). Take the common smoothing off until the narrowest heads are point masses;
///    each adds at most two changes of sign to what the wider ones make. Smooth back, and go on with the next
///    width. The widest alone, M' of them, change sign at most M' - 1 times, so that G' does at most 2 M - M'
///    - 1 <= 2 M - 2 times. Up to a constant, n roots make n - 1 changes: Z(c) <= 2 M - 1. *The very labels*:
///    without a flat head G vanishes at both ends, Z(0) + 1 <= 2 M -
///    2. With one, the number of roots is odd and at most 2 (M - 1) - 1. Either way M >= floor(Z(0)/2) + 2.
///    (Counting like this for Gaussian mixtures: Kalai, Moitra and Valiant 2010; for convolutions of Polya
///    frequency functions: Nahmias and Proschan 1979.) The same holds where the ratio r of each slope to the
///    next is real and at least 2 M - 1: the smoothing kernel is then 1 / (cosh x + cos(pi/r)) up to scales,
///    totally positive of order n for n <= r (Karlin). Between that and chains it is false from M = 3 on,
///    where slopes nearly agree (docs/heads.md).
///
/// 3. **Any slopes.** G - c times all denominators 1 + e^(2 c_i (h - t_i)) is a sum of at most 2^M
///    exponentials, which has fewer roots than terms (Descartes): Z(c) <= 2^M - 1. For the very labels
///    without a flat head the terms of no and of all factors are W = 0 and kappa = 0: Z(0) <= 2^M - 3; with
///    one, Z(0) <= 2^(M-1) - 1, which is less. For two heads up to a constant this is 3, as for chains. What
///    is between this and about 3 (M - 1), which searches reach (docs/heads.md), is open.
///
/// The parity of m bits changes sign m times. `minimal` and `exact` of family `parity` have the least numbers
/// of 1, m and m + 2 (m + 1 where it is odd), `compact` and `compact-exact` those of 2, floor(m/2) + 1 and
/// floor(m/2) + 2. Any function of h = 0 .. H is met by H + 2 heads of one slope (interpolation.h).
///
/// Elsewhere: where the bits are tokens, not entries of two tokens as here, heads times the degree of a
/// rational readout grow at least linearly in their number (arXiv 2605.12171; see also Kozachinskiy et al.
/// 2026).
namespace hardhead::hardness {

/// What slopes heads may have: one, any in a chain, any.
enum class Slopes { one, chain, any };

/// Steps that a function g(0) .. g(H) needs at least, met up to a constant; 0 for a constant.
std::int64_t least_steps(std::span<const std::int64_t> g, Slopes slopes = Slopes::one);

/// Heads that its very labels need at least, with W = 0 and kappa = 0; 0 if it is 0 everywhere.
std::int64_t least_heads(std::span<const std::int64_t> g, Slopes slopes = Slopes::one);

}  // namespace hardhead::hardness
