#include "learner/fits/fitting.h"

#include <gtest/gtest.h>

#include "learner/learner.h"

namespace hardhead::learner {
namespace {

TEST(Fitting, BoundsAreUnknownsOverEquationsRoundedUp) {
  EXPECT_EQ(counting_bound(64, 2, 2), 128);
  EXPECT_EQ(pattern_bound(64, 2), 2048);
  EXPECT_EQ(counting_bound(16, 3, 4), 43);  // 128 / 3
  EXPECT_EQ(pattern_bound(16, 3), 43);      // 256 / 6
  EXPECT_EQ(pattern_bound(2, 8), 1);
}

TEST(Fitting, ExamplesFollowTheLargerBoundFromAFloorOn) {
  EXPECT_EQ(examples_for(16, 3, 2, 8), 1000);
  EXPECT_EQ(examples_for(64, 2, 2, 8), 8 * 2048);
  EXPECT_EQ(examples_for(64, 4, 30, 8), 8 * counting_bound(64, 4, 30));
}

TEST(Fitting, HoldsBackATenthAndAtLeastOne) {
  EXPECT_EQ(split(1000).fitted, 900);
  EXPECT_EQ(split(1000).held_back, 100);
  EXPECT_EQ(split(5).held_back, 1);
}

TEST(Fitting, HoldsBackNoMoreOfAStreamThanItTakesToJudge) {
  EXPECT_EQ(stream_split(5).held_back, 1);
  EXPECT_EQ(stream_split(19'999).held_back, 1999);
  EXPECT_EQ(stream_split(1'000'000).held_back, 2000);
  EXPECT_EQ(stream_split(1'000'000).fitted, 998'000);
}

}  // namespace
}  // namespace hardhead::learner
