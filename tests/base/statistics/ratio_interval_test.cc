#include "base/statistics/ratio_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace hardhead::statistics {
namespace {

/// Draws a pair; the ratio of the means is known.
using Draw = std::function<std::pair<double, double>(std::mt19937_64&)>;

/// The share of 400 simulated sets of n pairs whose interval holds the true ratio.
double coverage(double truth, int n, const Draw& draw) {
  constexpr int sets = 400;
  int held = 0;
  for (int set = 0; set < sets; ++set) {
    std::mt19937_64 generator(static_cast<std::uint64_t>(set) + 1);
    RatioSums sums;
    for (int i = 0; i < n; ++i) {
      const auto [x, y] = draw(generator);
      sums.add(x, y);
    }
    const auto interval = ratio_interval(sums);
    held += interval && interval->low <= truth && truth <= interval->high ? 1 : 0;
  }
  return held / static_cast<double>(sets);
}

/// Chi-square with `degrees` degrees of freedom.
double chi_square(std::mt19937_64& generator, int degrees) {
  std::normal_distribution<double> normal;
  double sum = 0;
  for (int i = 0; i < degrees; ++i) sum += std::pow(normal(generator), 2);
  return sum;
}

void expect_nominal(double share) {
  EXPECT_GE(share, 0.90);
  EXPECT_LE(share, 0.99);
}

TEST(RatioInterval, CoversAtItsNominalRate) {
  // Squared errors of a learner beside squared labels: skewed and independent of each other.
  const auto skewed = [](std::mt19937_64& g) { return std::pair(0.3 * chi_square(g, 2), chi_square(g, 3)); };
  expect_nominal(coverage(0.2, 50, skewed));
  expect_nominal(coverage(0.2, 1000, skewed));
  // Nearly what the null predictor errs by on the same example.
  const auto alike = [](std::mt19937_64& g) {
    const double null = chi_square(g, 4);
    return std::pair(0.98 * null + 0.05 * chi_square(g, 4), null);
  };
  expect_nominal(coverage(1.03, 200, alike));
  // Labels that are all of one size, and a learner that errs on one example of ten.
  const auto rare = [](std::mt19937_64& g) {
    return std::pair(std::bernoulli_distribution(0.1)(g) ? 4.0 : 0.0, 1.0);
  };
  expect_nominal(coverage(0.4, 500, rare));
}

TEST(RatioInterval, IsTheTextbookOneForAMean) {
  RatioSums sums;  // y = 1: q is the mean of x, and the interval Student's
  for (const double x : {1.0, 2.0, 3.0, 4.0}) sums.add(x, 1);
  const Interval interval = *ratio_interval(sums);
  // t(0.975, 3) = 3.182446, standard deviation sqrt(5/3), N = 4.
  EXPECT_NEAR(interval.high - 2.5, 3.182446 * std::sqrt(5.0 / 3.0) / 2, 1e-5);
  EXPECT_NEAR(interval.high + interval.low, 5, 1e-12);
}

TEST(RatioInterval, IsAPointWhereThePairsAreProportional) {
  RatioSums sums;
  for (const double y : {0.1, 0.7, 3.0}) sums.add(y, y);
  EXPECT_EQ(ratio_interval(sums)->low, 1);
  EXPECT_EQ(ratio_interval(sums)->high, 1);
}

TEST(RatioInterval, JoinedSumsAreThoseOfAllPairs) {
  RatioSums left, right, all;
  for (int i = 0; i < 10; ++i) {
    (i < 4 ? left : right).add(i, 1 + i % 3);
    all.add(i, 1 + i % 3);
  }
  left.join(right);
  EXPECT_EQ(left.count, 10);
  EXPECT_EQ(ratio_interval(left)->low, ratio_interval(all)->low);
}

TEST(RatioInterval, IsNoneWithoutSpreadToTellFromOrAMeanToDivideBy) {
  RatioSums one;
  one.add(1, 2);
  EXPECT_FALSE(ratio_interval({}));
  EXPECT_FALSE(ratio_interval(one));
  RatioSums zeros;
  for (int i = 0; i < 5; ++i) zeros.add(1, 0);
  EXPECT_FALSE(ratio_interval(zeros));
}

}  // namespace
}  // namespace hardhead::statistics
