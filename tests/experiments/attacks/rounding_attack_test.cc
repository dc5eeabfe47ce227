#include "experiments/attacks/rounding_attack.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "hardness/families/family.h"

namespace hardhead::experiments {
namespace {

attention::SimulatedSource examples_of(const hardness::Instance& instance, std::uint64_t seed) {
  return {instance.teacher, instance.layer.d, 2, instance.inputs,
          Stream(Domain::samples, seed, instance.digest)};
}

TEST(RoundingAttack, LinearisationReadsTheSecretOffTheStaircaseAndNothingOffLwr) {
  for (int seed = 1; seed <= 5; ++seed) {
    const Spec leaky = Spec::parse(fmt::format("staircase:n=8,q=16,p=2,base=1024,seed={}", seed));
    const auto instance = hardness::make_instance(leaky);
    const auto found = linearise_rounding(leaky, examples_of(instance, 7), 400, {});
    EXPECT_TRUE(found.verified()) << seed << ": " << found.message;
    EXPECT_THAT(found.secret, testing::ElementsAreArray(instance.hidden)) << seed;
    EXPECT_GE(found.checked, 400);

    const Spec hard = Spec::parse(fmt::format("lwr:n=8,q=16,p=2,seed={}", seed));
    const auto same = hardness::make_instance(hard);
    EXPECT_EQ(same.hidden, instance.hidden);
    const auto nothing = linearise_rounding(hard, examples_of(same, 7), 20'000, {});
    EXPECT_TRUE(nothing.secret.empty());
    EXPECT_THAT(nothing.message, testing::HasSubstr("0 examples fix bit 0, 0 bit 0 + bit 1"));
  }
}

TEST(RoundingAttack, FourLevelsAndSmallSecretsLeakAsWell) {
  for (const char* text :
       {"staircase:n=3,q=64,p=4,base=256", "staircase:n=6,q=16,p=2,secret=binary,seed=3"}) {
    const Spec spec = Spec::parse(text);
    const auto instance = hardness::make_instance(spec);
    const auto found = linearise_rounding(spec, examples_of(instance, 1), 1000, {});
    EXPECT_TRUE(found.verified()) << text << ": " << found.message;
    EXPECT_THAT(found.secret, testing::ElementsAreArray(instance.hidden)) << text;
  }
}

TEST(RoundingAttack, ExamplesOfTheLayerAreLwrSamplesThatAttacksSolve) {
  const Spec spec = Spec::parse("lwr:n=4,q=16,p=2");
  const auto instance = hardness::make_instance(spec);
  const auto challenge = rounding_challenge(spec, examples_of(instance, 3), 300);
  const auto report = lwe::attack(challenge, lwe::find_attack("exhaustive"), 60, {});
  EXPECT_TRUE(report.solved()) << report.message;
  EXPECT_THAT(report.secret, testing::ElementsAreArray(instance.hidden));
}

TEST(RoundingAttack, RefusesOtherFamiliesAndShapes) {
  const auto parity = hardness::make_instance(Spec::parse("parity"));
  EXPECT_THROW(linearise_rounding(Spec::parse("parity"), examples_of(parity, 1), 10, {}), InputError);
  EXPECT_THROW(linearise_rounding(Spec::parse("lwr:n=3"), examples_of(parity, 1), 10, {}), InputError);
}

}  // namespace
}  // namespace hardhead::experiments
