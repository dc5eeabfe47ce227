#include <gtest/gtest.h>

#include <algorithm>

#include "sq/dimension/parity_bound.h"
#include "sq/game/parity_learners.h"
#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

using Search = ParitySearch (*)(Correlations&, const Parities&, const StopToken&);

struct Played {
  ParitySearch search;
  std::int64_t adversary_left = 0;
};

Played against_adversary(Search search, const Parities& members, const Rational& tau) {
  Adversary adversary(members);
  StatOracle oracle(Stat(tau), adversary);
  FromStat correlations(oracle);
  Played out{search(correlations, members, {}), static_cast<std::int64_t>(adversary.left().size())};
  EXPECT_EQ(oracle.transcript().violations(), 0);
  EXPECT_EQ(oracle.transcript().queries(), out.search.queries());
  return out;
}

TEST(ParityLearners, NoLearnerWinsWithFewerQueriesThanTheBound) {
  for (const auto& [d, m] : {std::pair{8, 2}, {10, 3}, {11, 4}})
    for (const Rational& tau : {Rational(1, 4), Rational(1, 10), Rational(1, 100)}) {
      const Parities members = Parities::behind_switch(d, m);
      const Rational bound = parity_query_bound({.d = d, .m = m}, tau);
      for (const Search search : {&correlation_search, &combination_search}) {
        const Played played = against_adversary(search, members, tau);
        EXPECT_TRUE(played.search.found);
        EXPECT_EQ(played.adversary_left, 1);
        EXPECT_GE(Rational(played.search.queries()), bound);
      }
    }
}

TEST(ParityLearners, TheCorrelationSearchIsForcedThroughAllMembersButOne) {
  const Parities members = Parities::behind_switch(10, 3);
  EXPECT_EQ(against_adversary(correlation_search, members, Rational(1, 10)).search.queries(),
            members.size() - 1);
}

TEST(ParityLearners, CombinationsOfCharactersNeedFewerQueries) {
  const Parities members = Parities::behind_switch(12, 3);
  const Rational tau(1, 10);
  EXPECT_EQ(members_a_combination(tau, Rational(1, 2)), 15);
  const std::int64_t queries = against_adversary(combination_search, members, tau).search.queries();
  EXPECT_LT(queries, members.size() / 5);
}

TEST(ParityLearners, AtAToleranceOfAHalfNothingIsEverRuledOut) {
  const Parities members = Parities::behind_switch(8, 2);
  for (const Search search : {&correlation_search, &combination_search}) {
    const Played played = against_adversary(search, members, Rational(1, 2));
    EXPECT_FALSE(played.search.found);
    EXPECT_EQ(played.adversary_left, members.size());
  }
}

TEST(ParityLearners, MembersOfACombinationAreTheLargestOddNumberThatPasses) {
  EXPECT_EQ(members_a_combination(Rational(1, 2), Rational(1, 2)), 0);
  EXPECT_EQ(members_a_combination(Rational(1, 4), Rational(1, 2)), 1);  // three have exactly 1/4
  EXPECT_EQ(members_a_combination(Rational(24, 100), Rational(1, 2)), 3);
  EXPECT_EQ(members_a_combination(Rational(1, 100), Rational(1, 2)), 1591);
}

TEST(ParityLearners, FindTheTargetThroughEveryKindOfOracle) {
  const Parities members = Parities::behind_switch(8, 3);
  const std::int64_t hidden = 23;
  for (const Search search : {&correlation_search, &combination_search}) {
    for (const Policy& policy : policies()) {
      FixedTarget target(members.member(hidden), 8, policy);
      StatOracle stat(Stat(Rational(1, 10)), target);
      FromStat from_stat(stat);
      EXPECT_EQ(search(from_stat, members, {}).found, hidden);
      VstatOracle vstat(Vstat(100), target);
      FromVstat from_vstat(vstat);
      EXPECT_EQ(search(from_vstat, members, {}).found, hidden);
      EXPECT_EQ(stat.transcript().violations() + vstat.transcript().violations(), 0);
    }
    HonestOracle honest(members.member(hidden), 8, 2000, 1 - 1e-9, 1);
    FromStat from_honest(honest);
    EXPECT_EQ(search(from_honest, members, {}).found, hidden);
    OneStatOracle one(members.member(hidden), 8, 1);
    FromOneStat from_one(one, 4000, 1 - 1e-9);
    EXPECT_EQ(search(from_one, members, {}).found, hidden);
    EXPECT_EQ(one.examples() % 8000, 0);
  }
}

}  // namespace
}  // namespace hardhead::sq
