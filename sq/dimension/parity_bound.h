#pragma once
#include "base/numeric/rational.h"

/// Lower bound on statistical queries for the family `parity` (hardness/hardness.h). Statement and proof are
/// this project's; the technique is the classic one (M. Kearns, JACM 45(6), 1998; A. Blum, M. Furst, J.
/// Jackson, M. Kearns, Y. Mansour, S. Rudich, STOC 1994).
///
/// Setting: N = C(d-1, m) members S; given X, the label is one of two values, `null(X) +- r(X)`, the sign
/// being chi_S(z), where r vanishes unless the switch is on (z_{j0} = -1, half of all X). STAT(tau) answers a
/// query phi(X, Y) in [-1,1] by any v with |v - E phi| <= tau.
///
/// *One query.* Let A(X) be the mean of phi at the two labels and b(z) the conditional mean, given z, of half
/// their difference. Then E_S[phi] = E[A] + bhat(S), bhat(S) = E[b chi_S]. As |b| <= 1 and b = 0 for half of
/// all z, averaging over z_{j0} leaves a function of the other d-1 bits bounded by 1/2, and Parseval gives
/// sum_S bhat(S)^2 <= 1/4. (Tight: phi = sign(label) chi_S has |bhat(S)| = 1/2.) The answer E[A] is within
/// tolerance for all members but those with |bhat(S)| > tau: fewer than 1/(4 tau^2). For tau >= 1/2 it
/// is none, and the adversary never has to give in.
///
/// *The end.* The functions r chi_S are orthogonal and of equal norm rho. If f has error (1 - delta) * null
/// on S, then <f - null, r chi_S>^2 >= delta rho^2 |f - null|^2, so by Bessel one f does so for at most
/// 1/delta members. A learner that succeeds on alpha N members has therefore ruled out alpha N - 1/delta of
/// them.
namespace hardhead::sq {

/// What a learner is asked to do: error at most (1 - delta) * null on a fraction alpha of all members.
struct ParityGoal {
  long d = 20;         ///< features, 2 .. 2^20: the hidden set is drawn from d - 1 of them
  long m = 6;          ///< its size, 1 .. d - 1
  Rational alpha = 1;  ///< 0 < alpha <= 1
  Rational delta = 1;  ///< 0 < delta <= 1

  Integer members() const;  ///< C(d-1, m)
  /// Throws InputError naming value and constraint.
  void validate() const;
};

/// 4 tau^2 (alpha C(d-1,m) - 1/delta): every learner that reaches the goal asks some valid oracle at least
/// this many STAT(tau) queries; 0 where that is negative (no bound). Proved, see above. Throws InputError
/// unless 0 < tau <= 1/2 and the goal is valid; a game with tau > 1/2 is unwinnable, not merely long.
Rational parity_query_bound(const ParityGoal& goal, const Rational& tau);

/// The bound for VSTAT(t), t >= 1: 2/(3t) (alpha C(d-1,m) - 1/delta) queries, 0 where that is negative.
/// Proved: for phi in [0,1] with conditional means A +- b, |b| <= min(A, 1-A), so b^2 <= A(1-A), and Parseval
/// over the d-1 bits with concavity gives sum_S bhat(S)^2 <= E_on[b^2]/4 <= p (1-p)/2, p = E[A]. If p is no
/// legal answer for a member of mean q then (q-p)^2 > p(1-p)/(3t): with u = |q-p|, u^2 t > q(1-q) >= p(1-p) -
/// u settles u <= 2/3 p(1-p), and u > 1/t settles the rest. So one query rules out fewer than 3t/2 members.
Rational parity_query_bound_vstat(const ParityGoal& goal, const Rational& t);

}  // namespace hardhead::sq
