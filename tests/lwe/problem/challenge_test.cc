#include "lwe/problem/challenge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lwe/recipe.h"

namespace hardhead::lwe {
namespace {

std::vector<std::string> roundings(const Challenge& challenge) {
  std::vector<std::string> out;
  for (const ProblemParameters& reading : challenge.readings()) out.push_back(name_of(reading.rounding));
  return out;
}

TEST(Challenge, HasAReadingForEachRoundingThatItsLabelsMayHave) {
  Challenge challenge = challenge_of("lwr:n=4,q=16,p=4,samples=20");
  EXPECT_THAT(roundings(challenge), testing::ElementsAre("floor"));
  challenge.rounding_known = false;
  EXPECT_THAT(roundings(challenge), testing::ElementsAre("floor", "nearest", "even"));
  challenge.parameters.q = 17;
  EXPECT_THAT(roundings(challenge), testing::ElementsAre("floor", "nearest")) << "there are no halves";
}

TEST(Challenge, OfAnotherProblemHasOneReading) {
  Challenge challenge = challenge_of("lwe:n=4,samples=20");
  challenge.rounding_known = false;
  EXPECT_EQ(challenge.readings(), std::vector{challenge.parameters});
}

}  // namespace
}  // namespace hardhead::lwe
