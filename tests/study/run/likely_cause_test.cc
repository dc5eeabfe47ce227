#include "study/run/likely_cause.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "study/problem/problem.h"

namespace hardhead::study {
namespace {

TEST(LikelyCause, IsTheConditionThatTheKnobBreaks) {
  for (const std::string which :
       {"theta_incoherence", "theta_stable_rank", "theta_diagonal", "theta_non_arithmetic",
        "theta_norm_ratio", "theta_norm", "w_incoherence", "w_stable_rank", "w_norm_ratio", "label_noise"})
    EXPECT_EQ(likely_cause(open_problem(fmt::format("degraded:which={},knob=1", which), {}))->condition,
              which);
  // A heavy column bounds the stable rank.
  EXPECT_THAT(likely_cause(open_problem("degraded:which=theta_column,knob=1", {}))->condition,
              testing::AnyOf("theta_column", "theta_stable_rank"));
}

TEST(LikelyCause, IsReadBackFromItsText) {
  for (const char* text : {"theta_norm (16)", "w_norm_ratio", "label_noise (0.125)", "theta_norm (2.3e+02)"})
    EXPECT_EQ(LikelyCause::parse(text).str(), text);
  EXPECT_EQ(LikelyCause::parse("theta_norm (16)").condition, "theta_norm");
  EXPECT_EQ(LikelyCause::parse("theta_norm (16)").factor, 16);
  for (const char* text : {"theta_norm (", "theta_norm (16", "theta_norm (x)", "theta_norm (16) (2)"})
    EXPECT_THROW(LikelyCause::parse(text), InputError) << text;
}

TEST(LikelyCause, IsFoundForLayersOfAHundredHeads) {
  const Problem hard = open_problem("lwr:n=6,q=16,p=2", {});
  EXPECT_GT(hard.truth->m(), 100);
  EXPECT_TRUE(likely_cause(hard));
}

TEST(LikelyCause, IsNoneForANiceLayerAndWhereTheLayerIsUnknown) {
  for (int seed = 1; seed <= 5; ++seed)
    EXPECT_FALSE(likely_cause(open_problem(fmt::format("nice:d=24,k=3,m=3,seed={}", seed), {})));
  Problem unknown = open_problem("nice:d=6,k=2", {});
  unknown.truth.reset();
  EXPECT_FALSE(likely_cause(unknown));
}

}  // namespace
}  // namespace hardhead::study
