#include "lwe/attacks/fourier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lwe/recipe.h"

namespace hardhead::lwe {
namespace {

ProblemParameters of_levels(std::int64_t p) {
  return {.problem = ProblemKind::lwr, .n = 1, .q = 64, .p = p};
}

TEST(RoundingCoefficient, IsZeroForLowBitsWhereTheNumberOfLevelsDividesTheModulus) {
  for (const std::int64_t p : {2, 4, 8})
    for (int k = 1; (std::int64_t{1} << k) <= 64 / p; ++k)
      EXPECT_LT(std::abs(rounding_coefficient(of_levels(p), k)), 1e-15) << p << " " << k;
  for (const std::int64_t p : {3, 5, 6, 7, 12})
    for (int k = 1; k <= 6; ++k)
      EXPECT_GT(std::abs(rounding_coefficient(of_levels(p), k)), 1e-3) << p << " " << k;
  EXPECT_NEAR(rounding_coefficient(of_levels(3), 1).real(), -1.0 / 64, 1e-15);
}

class Fourier : public testing::TestWithParam<const char*> {};

TEST_P(Fourier, ReadsSecretsWhereTheNumberOfLevelsDoesNotDivideTheModulus) {
  const Challenge challenge = challenge_of(GetParam());
  const Cost cost = find_attack("fourier").cost(challenge.parameters, challenge.samples.count());
  ASSERT_EQ(cost.objection(challenge.samples.count()), "");
  const AttackReport report = attack(challenge, find_attack("fourier"), 60, {});
  EXPECT_TRUE(report.solved()) << report.message;
}

INSTANTIATE_TEST_SUITE_P(Levels, Fourier,
                         testing::Values("lwr:n=3,q=64,p=3,samples=200000", "lwr:n=8,q=16,p=3,samples=40000",
                                         "lwr:n=6,q=32,p=5,samples=200000,seed=2",
                                         "lwr:n=5,q=16,p=6,samples=100000,seed=3"));

TEST(Fourier, IsNotBegunWhereLevelsHideLowBits) {
  const Challenge challenge = challenge_of("lwr:n=4,q=64,p=4,samples=1000");
  EXPECT_THAT(find_attack("fourier").cost(challenge.parameters, 1000).objection(1000),
              testing::HasSubstr("p divides q"));
}

}  // namespace
}  // namespace hardhead::lwe
