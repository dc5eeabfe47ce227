#include "sq/game/game.h"

#include <gtest/gtest.h>

#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

using Oracle = GameOptions::Oracle;
using Learner = GameOptions::Learner;

TEST(Game, EveryOracleLosesToEveryLearnerWhenItIsHonest) {
  for (const Oracle oracle :
       {Oracle::stat, Oracle::vstat, Oracle::one_stat, Oracle::honest, Oracle::correlational})
    for (const Learner learner : {Learner::correlation, Learner::combination}) {
      const Game game = play({.d = 8, .m = 2, .oracle = oracle, .policy = "honest", .learner = learner});
      EXPECT_TRUE(game.learner_won);
      EXPECT_EQ(game.members_left, 1);
      EXPECT_EQ(game.violations, 0);
      EXPECT_EQ(game.members_total, 21);
      EXPECT_EQ(game.examples > 0, oracle == Oracle::one_stat || oracle == Oracle::honest);
    }
}

TEST(Game, TheAdversaryIsNotBeatenBelowTheBoundOfItsOracle) {
  for (const Oracle oracle : {Oracle::stat, Oracle::vstat, Oracle::correlational})
    for (const Learner learner : {Learner::correlation, Learner::combination})
      for (const Rational& tolerance : {Rational(1, 4), Rational(1, 20)}) {
        const Game game =
            play({.d = 10, .m = 3, .oracle = oracle, .learner = learner, .tolerance = tolerance});
        ASSERT_TRUE(game.bound_queries);
        EXPECT_GE(Rational(game.queries_used), *game.bound_queries);
        EXPECT_TRUE(game.learner_won);
        EXPECT_EQ(game.violations, 0);
        EXPECT_EQ(game.answers_checked, game.queries_used);
      }
}

TEST(Game, PastAToleranceOfOneHalfItIsUnwinnableAndSaysSo) {
  const Game game = play({.d = 8, .m = 2, .tolerance = Rational(3, 5)});
  EXPECT_FALSE(game.learner_won);
  EXPECT_EQ(game.members_left, game.members_total);
  EXPECT_FALSE(game.bound_queries);
  EXPECT_EQ(game.theorem.substr(0, 10), "unwinnable");
}

TEST(Game, TheBoundForVstatIsItsFormula) {
  EXPECT_EQ(parity_query_bound_vstat({.d = 20, .m = 6}, 100), Rational(2, 300) * 27131);
  EXPECT_EQ(parity_query_bound_vstat({.d = 4, .m = 3}, 1), 0);
  expect_refusal([] { parity_query_bound_vstat({}, Rational(1, 2)); }, "t=1/2 is less than 1");
}

TEST(Game, ATinyToleranceTakesNoLongerThanASmallOne) {
  for (const Oracle oracle : {Oracle::stat, Oracle::vstat, Oracle::correlational})
    for (const Rational& tolerance : {Rational(1, 1000000007), Rational(1, Integer(1) << 2000)}) {
      const Game game = play({.d = 6,
                              .m = 2,
                              .oracle = oracle,
                              .policy = "honest",
                              .learner = Learner::combination,
                              .tolerance = tolerance});
      EXPECT_TRUE(game.learner_won);
      EXPECT_EQ(game.violations, 0);
    }
}

TEST(Game, RefusesOptionsByName) {
  expect_refusal([] { play({.d = 25}); }, "d=25 is more than 24");
  expect_refusal([] { play({.d = 8, .m = 8}); }, "m=8 is not in 1 .. d-1=7");
  expect_refusal([] { play({.tolerance = 0}); }, "tau=0 is not in (0, 1]");
  expect_refusal([] { play({.policy = "kind"}); }, "policy 'kind'");
  expect_refusal([] { play({.oracle = Oracle::honest}); }, "their policy is honest");
  expect_refusal(
      [] { play({.oracle = Oracle::honest, .policy = "honest", .tolerance = Rational(1, 10000)}); },
      "more than 2^24");
}

}  // namespace
}  // namespace hardhead::sq
