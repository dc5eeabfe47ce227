#include <gtest/gtest.h>

#include <limits>

#include "study/report/finding.h"

namespace hardhead::report {
namespace {

using enum Verdict;
using statistics::clopper_pearson;

TEST(Verdict, ThreeOfThreeDoNotShowNinetyPercent) {
  EXPECT_EQ(at_least(clopper_pearson(3, 3), 0.9), inconclusive);
  EXPECT_EQ(at_least(clopper_pearson(35, 35), 0.9), inconclusive);
  EXPECT_EQ(at_least(clopper_pearson(36, 36), 0.9), holds) << "0.025^(1/36) is just above 0.9";
  EXPECT_EQ(at_least(clopper_pearson(0, 3), 0.9), does_not_hold);
  EXPECT_EQ(at_most(clopper_pearson(0, 3), 0.1), inconclusive);
  EXPECT_EQ(at_most(clopper_pearson(0, 36), 0.1), holds);
}

TEST(Verdict, TheEndsOfTheIntervalDecide) {
  EXPECT_EQ(at_least({0.9, 1}, 0.9), holds);
  EXPECT_EQ(at_least({0.8, 0.9}, 0.9), inconclusive);
  EXPECT_EQ(at_least({0.1, 0.89}, 0.9), does_not_hold);
  EXPECT_EQ(at_most({0, 0.1}, 0.1), holds);
  EXPECT_EQ(at_most({0.1, 0.2}, 0.1), inconclusive);
  EXPECT_EQ(at_most({0.11, 0.2}, 0.1), does_not_hold);
  EXPECT_EQ(within({1.9, 2.1}, 1.8, 2.2), holds);
  EXPECT_EQ(within({1.7, 2.1}, 1.8, 2.2), inconclusive);
  EXPECT_EQ(within({1.7, 2.3}, 1.8, 2.2), inconclusive);
  EXPECT_EQ(within({2.3, 2.4}, 1.8, 2.2), does_not_hold);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(at_least({nan, nan}, 0), inconclusive);
  EXPECT_EQ(within({nan, nan}, 0, 1), inconclusive);
}

TEST(Verdict, OfSeveralIsTheWorst) {
  EXPECT_EQ(all_of({}), holds);
  EXPECT_EQ(all_of({holds, holds}), holds);
  EXPECT_EQ(all_of({holds, inconclusive}), inconclusive);
  EXPECT_EQ(all_of({inconclusive, does_not_hold, holds}), does_not_hold);
  EXPECT_EQ(decided(true), holds);
  EXPECT_EQ(decided(false), does_not_hold);
}

}  // namespace
}  // namespace hardhead::report
