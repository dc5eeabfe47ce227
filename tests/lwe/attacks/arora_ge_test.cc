#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

AttackReport linearise(const Challenge& challenge) {
  return attack(challenge, find_attack("arora-ge"), 60, {});
}

TEST(AroraGe, ReadsTheSecretOffTheMonomialsOfAnyDegree) {
  // Windows of 1, 2, 3, 4 and 5 residues: equations of these degrees.
  for (const char* spec : {"lwe:n=5,q=31,sigma=0", "lwe:n=6,q=31,noise=binary,sigma=0", "lwr:n=4,q=31,p=11",
                           "lwr:n=4,q=13,p=4", "lwr:n=3,q=23,p=5", "lwe:n=1,q=97,noise=binary,sigma=0"})
    for (int seed = 1; seed <= 5; ++seed) {
      const Recipe recipe = Recipe::parse(Spec::parse(fmt::format("{},samples=160,seed={}", spec, seed)));
      const Sampler sampler(recipe.parameters, recipe.seed);
      const AttackReport report = linearise({recipe.parameters, sampler.draw(0, recipe.samples)});
      EXPECT_TRUE(report.solved()) << spec << ", " << seed << ": " << report.message;
      EXPECT_EQ(report.secret, sampler.secret()) << spec << ", " << seed;
    }
}

// C(n + w, w) - 1 monomials; a few more equations than that are used.
TEST(AroraGe, SaysHowManyEquationsAndMonomials) {
  EXPECT_THAT(linearise(challenge_of("lwe:n=6,q=31,noise=binary,sigma=0,samples=160")).message,
              HasSubstr("47 equations in 27 monomials"));
  EXPECT_THAT(linearise(challenge_of("lwr:n=4,q=13,p=4,samples=75")).message,
              HasSubstr("75 equations in 69 monomials"));
  EXPECT_EQ(find_attack("arora-ge").cost(challenge_of("lwr:n=4,q=13,p=4").parameters, 1).samples, 69);
}

TEST(AroraGe, SmallSecretsAreEntriesLikeOthers) {
  for (const char* spec : {"lwe:n=6,q=31,noise=binary,sigma=0,samples=160,secret=binary",
                           "lwe:n=6,q=31,noise=binary,sigma=0,samples=160,secret=ternary"}) {
    const Recipe recipe = Recipe::parse(Spec::parse(spec));
    EXPECT_EQ(linearise(challenge_of(spec)).secret, Sampler(recipe.parameters, recipe.seed).secret()) << spec;
  }
}

TEST(AroraGe, LeavesOpenWhatTheRowsDoNotDetermine) {
  Challenge challenge = challenge_of("lwe:n=3,q=31,noise=binary,sigma=0,samples=60");
  for (std::int64_t i = 0; i < 60; ++i) challenge.samples.a[static_cast<std::size_t>(3 * i)] = 0;
  for (std::int64_t i = 0; i < 60; ++i)
    challenge.samples.b[static_cast<std::size_t>(i)] =
        label(challenge.parameters, challenge.samples.row(i).data(), {1, 2, 3}, i % 2);
  const AttackReport report = linearise(challenge);
  EXPECT_EQ(report.outcome, AttackOutcome::not_solved);
  EXPECT_THAT(report.message, HasSubstr("they leave the secret open"));
}

TEST(AroraGe, UniformLabelsContradictTheEquations) {
  Challenge challenge = challenge_of("lwe:n=4,q=31,noise=binary,sigma=0,samples=60");
  const Stream labels(Domain::test, 1, "labels");
  for (std::size_t i = 0; i < 60; ++i) challenge.samples.b[i] = static_cast<Residue>(labels.below(i, 31));
  EXPECT_EQ(linearise(challenge).outcome, AttackOutcome::not_solved);
}

TEST(AroraGe, SaysWhyItCannotBegin) {
  const auto reason = [](const char* spec) {
    return find_attack("arora-ge")
        .cost(Recipe::parse(Spec::parse(spec)).parameters, 100)
        .not_applicable.value_or("");
  };
  EXPECT_THAT(reason("lwe:n=4,q=32,noise=binary,sigma=0"), HasSubstr("a field of odd size, not mod 32"));
  EXPECT_THAT(reason("lpn:n=4"), HasSubstr("not mod 2"));
  EXPECT_THAT(reason("lwe:n=4,q=17,sigma=3"), HasSubstr("excludes no residue"));
  EXPECT_THAT(reason("lwe:n=70,q=97,noise=binary,sigma=0"), HasSubstr("2.56e+03 monomials, more than 2500"));
  EXPECT_THAT(reason("lwe:n=69,q=97,noise=binary,sigma=0"), "");
}

}  // namespace
}  // namespace hardhead::lwe
