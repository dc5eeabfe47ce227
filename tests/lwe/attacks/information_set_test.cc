#include "lwe/attacks/information_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

TEST(Decoding, FindsTheSecretsOfFreshSeeds) {
  for (const char* method : {"prange", "stern"})
    for (const char* spec :
         {"lpn:n=40,rate=0.125,samples=2000", "lpn:n=33,rate=0.2,samples=900",
          "lpn:n=24,rate=0.3,samples=3000", "lpn:n=150,rate=0.02,samples=4000",
          "lpn:n=30,rate=0.125,secret=fixed-weight,weight=5,samples=400", "lpn:n=1,rate=0.125,samples=200"})
      for (int seed = 1; seed <= 5; ++seed) {
        const Recipe recipe = parse(fmt::format("{},seed={}", spec, seed));
        const Sampler sampler(recipe.parameters, recipe.seed);
        const AttackReport report =
            attack({recipe.parameters, sampler.draw(0, recipe.samples)}, find_attack(method), 120, {});
        EXPECT_TRUE(report.solved()) << method << " " << spec << ": " << report.message;
        EXPECT_EQ(report.secret, sampler.secret()) << method << " " << spec;
      }
}

// A trial succeeds where both halves have few wrong labels and the matched ones none.
TEST(PlanDecoding, ExpectsTheTrialsOfABinomialLaw) {
  const ProblemParameters p = parse("lpn:n=96,rate=0.125").parameters;
  for (const int errors : {0, 4}) {
    const auto plan = plan_decoding(p, 100'000, errors);
    ASSERT_TRUE(plan.has_value());
    double few = 0, term = std::pow(0.875, 48);
    for (int i = 0; i <= plan->errors; term *= (48.0 - i) / (i + 1) / 7, ++i) few += term;
    const double least = -2 * std::log2(few) - plan->matched * std::log2(0.875);
    EXPECT_GT(plan->log2_trials, least);
    EXPECT_LT(plan->log2_trials, least + 4) << "of successive trials one in eight is as good as a new one";
  }
}

TEST(PlanDecoding, WrongLabelsInTheSetAreWorthTheirSums) {
  const ProblemParameters p = parse("lpn:n=128,rate=0.125").parameters;
  const auto prange = plan_decoding(p, 500'000, 0), stern = plan_decoding(p, 500'000, most_half_errors);
  EXPECT_EQ(prange->errors, 0);
  EXPECT_GE(stern->errors, 2);
  EXPECT_LT(stern->seconds, prange->seconds / 8);
}

TEST(PlanDecoding, HasNoPlanWithoutSamplesBesideTheSet) {
  const ProblemParameters p = parse("lpn:n=20,rate=0.125").parameters;
  EXPECT_FALSE(plan_decoding(p, 20, 2).has_value());
  EXPECT_TRUE(plan_decoding(p, 21, 2).has_value());
}

TEST(Decoding, EndsOnLabelsOfNoSecretAndOnRowsOfLowRank) {
  Challenge challenge = challenge_of("lpn:n=16,rate=0.125,samples=800");
  relabel(challenge.parameters, 1, false, challenge.samples);
  for (const char* method : {"prange", "stern"}) {
    const AttackReport report = attack(challenge, find_attack(method), 60, {});
    EXPECT_EQ(report.outcome, AttackOutcome::not_solved) << method << ": " << report.message;
    EXPECT_THAT(report.message, HasSubstr("were expected"));
  }
  challenge = challenge_of("lpn:n=16,rate=0.125,samples=800");
  spoil(challenge.samples, Rows::equal_columns);
  EXPECT_THAT(attack(challenge, find_attack("stern"), 60, {}).message,
              HasSubstr("independent samples failed"));
}

TEST(Decoding, SaysWhyItCannotBegin) {
  const auto reason = [](const char* spec) {
    return find_attack("stern").cost(parse(spec).parameters, 100).not_applicable.value_or("");
  };
  EXPECT_THAT(reason("lpn:n=8,rate=0"), HasSubstr("no noise"));
  EXPECT_THAT(reason("lwr:n=8"), HasSubstr("for lpn"));
  EXPECT_EQ(reason("lpn:n=8,rate=0.4"), "");
}

TEST(CheapestAttack, DecodesLongSecretsAndCountsWhatIsBeyondThisProgram) {
  EXPECT_EQ(cheapest_attack(parse("lpn:n=96,rate=0.125").parameters, 500'000)->method->name, "stern");
  const auto lattice = cheapest_attack(parse("lwe:n=300,q=12289,sigma=3.2").parameters, 600);
  ASSERT_TRUE(lattice.has_value());
  EXPECT_TRUE(lattice->cost.beyond.has_value());
  EXPECT_FALSE(cheapest_attack(parse("lpn:n=96,rate=0.125").parameters, 20).has_value());
}

}  // namespace
}  // namespace hardhead::lwe
