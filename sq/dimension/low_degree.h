#pragma once

#include "sq/dimension/member_pairs.h"

/// The low-degree advantage of a family of labelled examples over examples without a secret, in closed form.
///
/// The null distribution Q draws (x, y) with y independent of what is hidden; member f draws from P_f, with
/// likelihood ratio L_f = dP_f / dQ on one example. A sample is N independent examples of one member, drawn
/// uniformly. A statistic has *degree t* (sample-wise: S. Hopkins 2018; M. Brennan, G. Bresler, S. Hopkins,
/// J. Li, T. Schramm, COLT 2021) if it is a sum of functions of t examples each, of any kind. Over these,
///
///     Adv_t = max  (E_f E_{P_f} s - E_Q s) / sqrt(Var_Q s),
///     Adv_t^2 = sum_{j=1..t} C(N, j) E_{f,g} rho(f, g)^j,     rho(f, g) = E_Q[L_f L_g] - 1.
///
/// *Proof.* The best s is the projection of E_f prod_i L_f(x_i, y_i) - 1 onto functions of degree t. The
/// product is prod_i (1 + (L_f - 1)), whose parts prod_{i in J} (L_f(x_i, y_i) - 1) have mean 0 in each
/// example of J, so that parts of different J are orthogonal under Q and the projection keeps |J| <= t. The
/// squared norm of the part of J is E_{f,g} prod_{i in J} E_Q[(L_f - 1)(L_g - 1)] = E_{f,g} rho^|J|, and
/// there are C(N, j) sets J of j examples. Each term is a squared norm, so Adv_t^2 does not fall as N grows.
///
/// Where Adv_t^2 < 1 no statistic of degree t tells a sample of a random member from one of Q such that the
/// difference of its means is a standard deviation under Q. It is a bound on these statistics, not on all
/// algorithms.
///
/// *Parities behind a switch* (parity_bound.h): L_S = 1 + y chi_S where the switch is on and 1 where it is
/// off, so rho = 1/2 for S = T and 0 else, and Adv_t^2 = sum_{j=1..t} C(N, j) 2^-j / C(d-1, m). At t = 1 it
/// reaches 1 at N = 2 C(d-1, m), the scale of statistical queries; at t = log2 C(d-1, m) it does so at a
/// small multiple of t, the scale of elimination, whose statistics see as many examples as there are
/// unknowns.
namespace hardhead::sq {

/// The least N with Adv_t^2 >= 1: fewer examples are too few for a statistic of degree t. Throws InputError
/// unless 1 <= t <= max_low_degree, and for pairs that do not correlate, of which no number is enough.
Integer least_examples(const MemberPairs& pairs, int degree);

/// Largest degree.
inline constexpr int max_low_degree = 4096;

}  // namespace hardhead::sq
