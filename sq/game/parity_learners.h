#pragma once
#include <optional>

#include "base/run/stop_token.h"
#include "sq/concepts/parities.h"
#include "sq/oracle/oracle.h"

/// Learners of parities from correlations alone. Each knows the class, keeps the members that the answers
/// leave, and ends when one is left, or when no query it can think of rules out another.
namespace hardhead::sq {

/// A query of these learners and its answer.
struct AskedCorrelation {
  std::vector<Bits> sets;  ///< it was E[y sign(sum of their characters)]; the bits of z in each
  Rational answer;         ///< the oracle's
};

/// How a search went.
struct ParitySearch {
  std::optional<std::int64_t> found;     ///< the one member left
  std::vector<std::int64_t> left_after;  ///< members left after each query
  std::vector<AskedCorrelation> asked;   ///< what was asked, and the answers
  /// How many were asked.
  std::int64_t queries() const { return static_cast<std::int64_t>(left_after.size()); }
};

/// Asks for E[y chi_S], one member S after the other. rho = E[f^2] is its own answer (1, or 1/2 behind a
/// switch) and 0 the answer of all others: against answers 0 each query rules out one member, as long as
/// width < rho.
ParitySearch correlation_search(Correlations& oracle, const Parities& members, const StopToken& stop = {});

/// Asks for E[y sign(sum over K members of chi_S)]. Were their characters independent, all K would have the
/// coefficient rho C(K-1, floor((K-1)/2)) / 2^(K-1), about rho sqrt(2 / (pi K)); K is the largest for which
/// that is more than the width, so K is about 2 rho^2 / (pi width^2): 2/pi of what Parseval's inequality
/// allows. Members are combined at random, since sets that share elements have characters that depend on each
/// other. True coefficients are computed by transform; K is halved when a query rules out no member, or would
/// not if it were answered 0.
ParitySearch combination_search(Correlations& oracle, const Parities& members, const StopToken& stop = {});

/// The K above: 0 for width >= rho.
std::int64_t members_a_combination(const Rational& width, const Rational& rho);

}  // namespace hardhead::sq
