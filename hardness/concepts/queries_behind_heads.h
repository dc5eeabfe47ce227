#pragma once
#include <string>
#include <vector>

#include "attention/layer/layer.h"
#include "base/numeric/rational.h"
#include "sq/dimension/parity_bound.h"

namespace hardhead::hardness {

/// What is proved of the parities that a number of heads hides in one way.
struct QueriesBehindHeads {
  std::string way;           ///< a variant of family `parity`, or "densest known"
  attention::Index heads{};  ///< M
  attention::Index bits{};   ///< the most that M heads hide in this way, d - 1 at most
  Rational queries;          ///< the largest bound on queries to STAT(tau) among the m up to it
};

/// Bits that this many heads are known to hide up to a constant, where their slopes may nearly agree: 6, 9,
/// 11 by 3, 4, 5 heads, proved from tests/known_answers/dense_layers.json; else those of `compact`.
attention::Index densest_known_bits(attention::Index heads);

/// `exact`, `minimal`, `compact` and, where it is more than compact, "densest known", in this order. Ways in
/// which the heads hide no bit are left out. goal.m is not looked at. Throws as sq::parity_query_bound().
std::vector<QueriesBehindHeads> queries_behind_heads(sq::ParityGoal goal, attention::Index heads,
                                                     const Rational& tau);

}  // namespace hardhead::hardness
