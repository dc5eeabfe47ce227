#include "base/statistics/binomial_interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace hardhead::statistics {
namespace {

/// P[Binomial(n, p) >= s].
double upper_tail(int s, int n, double p) {
  double sum = 0;
  for (int i = s; i <= n; ++i)
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0)) * std::pow(p, i) *
           std::pow(1 - p, n - i);
  return sum;
}

TEST(ClopperPearson, EndsAreWhereTheTailsAreTwoAndAHalfPercent) {
  for (const int n : {1, 5, 10, 20, 100})
    for (int s = 0; s <= n; ++s) {
      const Interval interval = clopper_pearson(s, n);
      if (s > 0)
        EXPECT_NEAR(upper_tail(s, n, interval.low), 0.025, 1e-10);
      else
        EXPECT_EQ(interval.low, 0);
      if (s < n)
        EXPECT_NEAR(1 - upper_tail(s + 1, n, interval.high), 0.025, 1e-10);
      else
        EXPECT_EQ(interval.high, 1);
    }
}

TEST(ClopperPearson, NoTrialSaysNothing) {
  EXPECT_EQ(clopper_pearson(0, 0).low, 0);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1);
}

TEST(ClopperPearson, RefusesCountsAndConfidencesOutOfRange) {
  EXPECT_THROW(clopper_pearson(-1, 5), InputError);
  EXPECT_THROW(clopper_pearson(6, 5), InputError);
  EXPECT_THROW(clopper_pearson(1, 5, 1), InputError);
  EXPECT_THROW(clopper_pearson(1, 5, std::nan("")), InputError);
}

}  // namespace
}  // namespace hardhead::statistics
