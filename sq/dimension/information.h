#pragma once
#include <cstdint>
#include <optional>

#include "sq/dimension/member_pairs.h"

/// The information limit: how many examples or queries tell the member, whoever computes, for as long as it
/// takes.
///
/// M functions f_1 .. f_M, one of them drawn uniformly, labels of L kinds. An example is (x, f(x)) where the
/// switch is on, with probability 1/2, and says nothing where it is off. The posterior is uniform on the
/// functions that fit all examples, and the best guess is any of these. (Members that are one function count
/// as one; each function is taken to have as many members.)
///
/// *Fewer are not enough.* Given the inputs, of which n have the switch on, there are at most L^n words of
/// labels, and the guess depends on the word, so that it is right for at most so many functions:
///
///     P(right) <= sum_n C(N, n) 2^-N min(1, L^n / M).
///
/// For queries of chosen X, each answered by one of L labels and asked in view of the answers before,
/// P(right) <= L^Q / M.
///
/// *Enough are enough.* If K other functions fit all examples, then P(right) = E 1/(1 + K) >= 1/(1 + E K) by
/// Jensen's inequality, and a pair that agrees with probability a where the switch is on still agrees after N
/// examples with probability ((1 + a)/2)^N:
///
///     E K = M sum over pairs of members with a < 1 of share ((1 + a)/2)^N.
namespace hardhead::sq {

/// An upper bound of P(right) for N examples.
Rational best_guess_at_most(const Integer& functions, int labels, std::int64_t examples);

/// A lower bound of it.
Rational best_guess_at_least(const MemberPairs& pairs, std::int64_t examples);

/// The least N at which E K is at most `failure`: with probability 1 - failure no other function fits all
/// examples. Throws InputError unless 0 < failure < 1.
std::int64_t enough_examples(const MemberPairs& pairs, double failure);

/// M: how many functions the pairs are of.
Integer functions_of(const MemberPairs& pairs);

/// Which numbers of examples give the best guess a probability of 1/2.
struct InformationLimit {
  std::int64_t at_least = 0;             ///< the least N at which the upper bound is 1/2 or more
  std::int64_t queries_at_least = 0;     ///< the least Q of which the same holds for queries of chosen X
  std::optional<std::int64_t> enough{};  ///< the least N at which the lower bound is; empty without pairs
};

/// Throws InputError unless functions >= 1 and labels >= 2.
InformationLimit information_limit(const Integer& functions, int labels);

/// With both bounds.
InformationLimit information_limit(const MemberPairs& pairs, int labels);

}  // namespace hardhead::sq
