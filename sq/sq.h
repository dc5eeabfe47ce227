#pragma once

/// Statistical queries on functions of bits: what can be learnt from averages over examples, without ever
/// seeing one.
///
///     STAT(tau):  a query phi(X, Y) in [-1,1] is answered by any v with |v - E phi| <= tau.
///
/// Gradient descent, moment methods and correlation searches can be run this way; elimination over GF(2)
/// cannot, and it is what breaks the parity family from 2d examples (lwe/gf2.h). So the bound here is one for
/// statistical queries only.
///
/// **Parities behind a switch** (parity_bound.h): reaching error (1 - delta) * null on a fraction alpha of
/// all C(d-1, m) members takes at least 4 tau^2 (alpha C(d-1,m) - 1/delta) queries of STAT(tau), against the
/// answers given there. Exact rationals; the proof is in the header.
///
///     ParityGoal goal{.d = 20, .m = 6, .alpha = 1, .delta = Rational(1, 2)};
///     Rational queries = parity_query_bound(goal, Rational(1, 10));   // 4/100 (C(19,6) - 2) = 5426/5
#include "sq/parity_bound.h"
