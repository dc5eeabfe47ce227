#pragma once
#include <vector>

#include "base/numeric/rational.h"

namespace hardhead::sq {

/// A pair of members f and g of a family of labelled examples, by what bounds need of it.
///
/// Q is the law of an example (x, y) whose label has the family's law and says nothing of what is hidden, P_f
/// the law under member f, and L_f = dP_f / dQ on one example.
struct PairShare {
  Rational correlation;    ///< rho(f, g) = E_Q[L_f L_g] - 1
  Rational share;          ///< of ordered pairs (f, g), f = g among them, that are like this
  Rational agreement = 0;  ///< P[f(x) = g(x)] where the switch is on; 1: they are one function
};

/// All ordered pairs of members of a family behind a switch, which is on with probability 1/2: L_f = 1 where
/// it is off.
struct MemberPairs {
  std::vector<PairShare> shares;  ///< they sum to 1
  Rational largest_row = 0;       ///< max_f E_g |rho(f, g)|
};

/// The pairs of C(d-1, m) parities behind a switch: L_S = 1 + y chi_S where it is on, so that rho = 1/2 for S
/// = T and 0 else, and two different parities agree with probability 1/2.
MemberPairs parity_pairs(long d, long m);

/// The pairs of so many different parities behind a switch, where each label is flipped with probability
/// `noise`, 0 .. 1/2: L_S = 1 + (1 - 2 noise) y chi_S, so that rho = (1 - 2 noise)^2 / 2 for S = T and 0
/// else. Agreement is that of labels without noise.
MemberPairs noisy_parity_pairs(const Integer& parities, const Rational& noise);

/// How many queries of STAT(tau) tell a random member of a family behind a switch from Q, unrelated labels of
/// the same law:
///
///     queries >= 2 tau^2 / r,    r = max_f E_g |rho(f, g)|.
///
/// With fewer, answering each query phi by E_Q phi breaks no promise for some member, so that a learner that
/// is answered so has nothing to tell this member from unrelated labels by.
///
/// *Proof.* Let v_f = L_f - 1, which is 0 where the switch is off, and u = phi where it is on and 0
/// elsewhere: E_f phi - E_Q phi = <u, v_f> in L2(Q), and |u|^2 <= 1/2 for phi in [-1, 1]. Over members, E_f
/// <u, v_f>^2 <= |u|^2 lambda with lambda the largest eigenvalue of E_f v_f v_f^T. That is the one of the
/// matrix rho(f, g) / M, which no row's sum of absolute values falls short of: lambda <= r. So a query misses
/// E_Q by more than tau for at most a share r / (2 tau^2) of all members (Markov).
///
/// For parities r = 1 / (2 M), and the bound is 4 tau^2 M, that of parity_bound.h up to its last term: there
/// a learner has to do more than tell.
///
/// Throws InputError unless 0 < tau <= 1/2, and for a family that does not correlate.
Rational detection_bound(const MemberPairs& pairs, const Rational& tau);

}  // namespace hardhead::sq
