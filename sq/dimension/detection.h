#pragma once
#include "sq/dimension/member_pairs.h"

namespace hardhead::sq {

/// How many queries of STAT(tau) tell a random member of a family behind a switch from Q, unrelated labels of
/// the same law (member_pairs.h):
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
