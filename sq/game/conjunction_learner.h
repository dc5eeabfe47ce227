#pragma once
#include <cstdint>

#include "sq/oracle/oracle.h"

namespace hardhead::sq {

/// A monotone conjunction: f(z) = +1 where every variable of `variables` is true (bit set), else -1.
Concept conjunction(Bits variables);

/// The hypothesis, and what is proved of it.
struct ConjunctionFound {
  Bits variables = 0;        ///< of the hypothesis
  std::int64_t queries = 0;  ///< asked: n
  Rational error_bound;      ///< 2 n tau: P[hypothesis != target] is at most this, proved
};

/// The classic that statistical queries do learn (M. Kearns, JACM 45(6), 1998): one query for each variable
/// j, E[y = 1 and z_j false]. It is 0 for the target's variables, so those answered by at most tau hold all
/// of them, and each other one that is kept costs an error of at most 2 tau. n queries of STAT(tau).
ConjunctionFound learn_conjunction(StatOracle& oracle);

}  // namespace hardhead::sq
