#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

AttackReport eliminate(const Challenge& challenge) {
  return attack(challenge, find_attack("elimination"), 60, {});
}

void relabel(Challenge& challenge, const std::vector<Residue>& secret) {
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i)
    challenge.samples.b[static_cast<std::size_t>(i)] =
        label(challenge.parameters, challenge.samples.row(i).data(), secret, 0);
}

const char* const noiseless[] = {"lpn:n=9,rate=0,samples=60", "lwe:n=7,q=97,sigma=0,samples=40",
                                 "lwe:n=7,q=64,sigma=0,samples=60", "lwe:n=65,q=2,sigma=0,samples=200",
                                 "lwe:n=5,q=2147483647,sigma=0,samples=12"};

TEST(Elimination, SolvesWhatHasNoNoise) {
  for (const char* spec : noiseless) {
    const Recipe recipe = Recipe::parse(Spec::parse(spec));
    const AttackReport report = eliminate(challenge_of(spec));
    EXPECT_TRUE(report.solved()) << spec << ": " << report.message;
    EXPECT_EQ(report.secret, Sampler(recipe.parameters, recipe.seed).secret()) << spec;
  }
}

TEST(Elimination, LeavesOpenWhatTheRowsDoNotDetermine) {
  for (const char* spec : noiseless) {
    const Recipe recipe = Recipe::parse(Spec::parse(spec));
    const std::vector<Residue> secret = Sampler(recipe.parameters, recipe.seed).secret();
    Challenge zero = challenge_of(spec), equal = zero;
    for (std::int64_t i = 0; i < zero.samples.count(); ++i) {
      zero.samples.a[static_cast<std::size_t>(i * recipe.parameters.n)] = 0;
      Residue* row = equal.samples.a.data() + i * recipe.parameters.n;
      row[1] = row[0];
    }
    for (Challenge* challenge : {&zero, &equal}) {
      relabel(*challenge, secret);
      const AttackReport report = eliminate(*challenge);
      EXPECT_EQ(report.outcome, AttackOutcome::not_solved) << spec;
      EXPECT_THAT(report.message, HasSubstr("leave the secret open")) << spec;
    }
  }
}

TEST(Elimination, OneWrongLabelIsAContradiction) {
  for (const char* spec : noiseless) {
    Challenge challenge = challenge_of(spec);
    Residue& first = challenge.samples.b.front();
    first = static_cast<Residue>((first + 1) % challenge.parameters.q);
    const AttackReport report = eliminate(challenge);
    EXPECT_EQ(report.outcome, AttackOutcome::not_solved) << spec;
    EXPECT_THAT(report.message, HasSubstr("contradict each other")) << spec;
  }
}

// Elimination takes the first n + 80 samples; a wrong label past them is left to verification.
TEST(Elimination, IsVerifiedOnAllSamples) {
  Challenge challenge = challenge_of("lwe:n=5,q=97,sigma=0,samples=200");
  Residue& last = challenge.samples.b.back();
  last = (last + 1) % 97;
  const AttackReport report = eliminate(challenge);
  EXPECT_EQ(report.outcome, AttackOutcome::not_solved);
  EXPECT_THAT(report.message, HasSubstr("1 of 200 residuals are outside 0 .. 0"));
}

// Mod 2^l a column of even entries has no pivot, though its rank over the rationals is full.
TEST(Elimination, EvenColumnsLeaveTheTopBitOpen) {
  Challenge challenge = challenge_of("lwe:n=3,q=16,sigma=0,samples=30");
  for (std::int64_t i = 0; i < 30; ++i) {
    Residue& entry = challenge.samples.a[static_cast<std::size_t>(3 * i)];
    entry = 2 * entry % 16;
  }
  relabel(challenge, {3, 5, 7});
  EXPECT_THAT(eliminate(challenge).message, HasSubstr("leave the secret open"));
}

TEST(Elimination, RefusesNoise) {
  for (const char* spec :
       {"lpn:n=4,rate=0.1", "lwe:n=4,sigma=1", "lwe:n=4,q=97,noise=binary,sigma=0", "lwr:n=4"})
    EXPECT_THAT(eliminate(challenge_of(spec)).message, HasSubstr("there is noise")) << spec;
}

}  // namespace
}  // namespace hardhead::lwe
