#pragma once

/// Statistical queries on functions of bits: what can be learnt from averages over examples, without ever
/// seeing one.
///
/// Setting: z uniform on {-1,+1}^n (bit j of a word is set where z_j = -1), y = f(z) in {-1, 0, +1}, f one of
/// a class of N concepts; y = 0 where no member has anything to say (parities behind a switch). A query is a
/// function phi(z, y), answered by a number near its mean.
///
///     STAT(tau)      phi in [-1,1]     any v with |v - E phi| <= tau
///     VSTAT(t)       phi in [0,1]      any v with |v - p| <= max(1/t, sqrt(p(1-p)/t)), p = E phi
///     1-STAT         phi in {0,1}      phi of one fresh example
///     honest         phi in [-1,1]     the mean over a fixed number of fresh examples
///     correlational  phi = y g(z)      as STAT(tau)
///
/// Gradient descent, moment methods and correlation searches can be run this way; elimination over GF(2)
/// cannot, and it is what breaks the parity family from 2d examples (lwe/problem/gf2.h). So bounds here are
/// for statistical queries only.
///
/// **Exactness.** Values are rounded to multiples of 2^-32 and the rounding is charged to the tolerance
/// (query.h); means are sums of integers over all inputs (enumerate.h, up to 24 bits), for all parities at
/// once by one Walsh-Hadamard transform (walsh_hadamard.h). Promises are predicates on rationals
/// (contract.h), and every answer of every oracle goes through them (oracle.h). Answers are honest, random,
/// rounded, or an adversary's (answerer.h).
///
/// **From all pairs of members**: what statistics see that are sums of functions of t
/// examples each (low_degree.h); what nobody can learn from fewer examples or queries, however long he
/// computes (information.h); queries that tell a member from unrelated labels (member_pairs.h). **Leaps.**
/// How many bits of a function have to be guessed at once: leap.h.
///
/// **How many queries.** Parities behind a switch (parity_bound.h): reaching error (1 - delta) * null on a
/// fraction alpha of all C(d-1, m) members takes at least 4 tau^2 (alpha C(d-1,m) - 1/delta) queries of
/// STAT(tau). Any class: three definitions of dimension, computed or bounded, and never mixed (dimension.h).
///
///     Parities members = Parities::behind_switch(12, 3);
///     Adversary adversary(members);
///     StatOracle oracle(Stat(Rational(1, 10)), adversary);
///     FromStat correlations(oracle);
///     ParitySearch search = combination_search(correlations, members);       // parity_learners.h
///     search.queries();                                                     // 19; the bound is 6.56
///     oracle.transcript().violations();                                     // 0, exactly
#include "base/numeric/walsh_hadamard.h"
#include "sq/concepts/parities.h"
#include "sq/concepts/table_class.h"
#include "sq/dimension/dimension.h"
#include "sq/dimension/information.h"
#include "sq/dimension/leap.h"
#include "sq/dimension/low_degree.h"
#include "sq/dimension/parity_bound.h"
#include "sq/game/game.h"
#include "sq/game/parity_learners.h"
#include "sq/oracle/oracle.h"
