#include "base/statistics/median.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace hardhead::statistics {
namespace {

TEST(MedianInterval, RanksAreThoseOfTheTables) {
  // Published for 95%: n = 5 none, 6 .. 8 the extremes, 9 .. 11 the second, 12 .. 14 the third, 20 the sixth.
  for (const auto& [n, rank] : {std::pair{0, 0},
                                {1, 0},
                                {5, 0},
                                {6, 1},
                                {8, 1},
                                {9, 2},
                                {11, 2},
                                {12, 3},
                                {14, 3},
                                {20, 6},
                                {100, 40}})
    EXPECT_EQ(median_interval_rank(n), rank) << n;
}

TEST(MedianInterval, HoldsTheMedianOfASkewedDistributionAtItsNominalRate) {
  constexpr int sets = 400;
  for (const int n : {6, 10, 25}) {
    int held = 0;
    for (int set = 0; set < sets; ++set) {
      std::mt19937_64 generator(static_cast<std::uint64_t>(set) + 1);
      std::exponential_distribution<double> draw;
      std::vector<double> values(static_cast<std::size_t>(n));
      for (double& value : values) value = draw(generator);
      const auto interval = median_interval(values);
      held += interval->low <= std::log(2) && std::log(2) <= interval->high ? 1 : 0;
    }
    // It is discrete: what it holds is at least 0.95, and at most 0.979 for these n.
    EXPECT_GE(held / static_cast<double>(sets), 0.92) << n;
    EXPECT_LE(held / static_cast<double>(sets), 0.995) << n;
  }
}

TEST(MedianInterval, IsNoneForFewValuesAndCountsNaNAsLarge) {
  EXPECT_FALSE(median_interval({1, 2, 3, 4, 5}));
  const auto interval = median_interval({6, 1, 5, 2, std::numeric_limits<double>::quiet_NaN(), 3});
  EXPECT_EQ(interval->low, 1);
  EXPECT_TRUE(std::isnan(interval->high));
}

}  // namespace
}  // namespace hardhead::statistics
