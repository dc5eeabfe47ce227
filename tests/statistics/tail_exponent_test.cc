#include "statistics/tail_exponent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numeric/random.h"

namespace hardhead::statistics {
namespace {

// The n smallest of `total` scores with P(score <= eps) = eps^b.
std::vector<double> smallest(double b, std::size_t total, std::size_t n, std::uint64_t item) {
  std::vector<double> scores(total);
  Stream(Domain::test, 1, "scaling").uniforms(item, scores);
  for (double& score : scores) score = std::pow(score, 1 / b);
  std::sort(scores.begin(), scores.end());
  scores.resize(n);
  return scores;
}

TEST(TailExponent, CoversTheTruthAsOftenAsItSays) {
  for (const double b : {1.0, 3.0}) {
    int covered = 0;
    double mean = 0;
    constexpr int trials = 400;
    for (int t = 0; t < trials; ++t) {
      const Estimate e = tail_exponent(smallest(b, 2000, 50, static_cast<std::uint64_t>(t)));
      covered += e.interval.low <= b && b <= e.interval.high ? 1 : 0;
      mean += e.value / trials;
    }
    // 95% of 400 is 380 +- 4.4; the mean's standard error is b / sqrt(48 * 400) = 0.007 b.
    EXPECT_NEAR(covered, 380, 18);
    EXPECT_NEAR(mean, b, 0.03 * b);
  }
}

TEST(TailExponent, RefusesWhatHasNone) {
  EXPECT_THROW(tail_exponent(std::vector<double>{1, 2, 3}), InputError);
  EXPECT_THROW(tail_exponent(std::vector<double>{0, 1, 2, 3}), InputError);
  EXPECT_THROW(tail_exponent(std::vector<double>{1, 2, 1.5, 3}), InputError);
  EXPECT_THROW(tail_exponent(std::vector<double>{2, 2, 2, 2}), InputError);
}

}  // namespace
}  // namespace hardhead::statistics
