#include "study/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"

namespace hardhead::study {
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

TEST(FitLog, IsExactOnAnExponential) {
  const std::vector<double> x = {1, 2, 3, 5},
                            y = {std::exp(2.5), std::exp(4.0), std::exp(5.5), std::exp(8.5)};
  const LogFit fit = fit_log(x, y);
  EXPECT_NEAR(fit.rate.value, 1.5, 1e-12);
  EXPECT_NEAR(fit.intercept, 1, 1e-12);
  EXPECT_NEAR(fit.rate.interval.high - fit.rate.interval.low, 0, 1e-6);
}

TEST(FitLog, GivesStudentsInterval) {
  // ln y = 0, 1, 1, 2 at x = 0 .. 3: slope 0.6, residual sum of squares 0.2, so s^2 = 0.1 and the half-width is
  // t_{0.975, 2} sqrt(0.1 / 5) = 4.302653 * 0.141421.
  const std::vector<double> x = {0, 1, 2, 3}, y = {1, std::exp(1.0), std::exp(1.0), std::exp(2.0)};
  const LogFit fit = fit_log(x, y);
  EXPECT_NEAR(fit.rate.value, 0.6, 1e-12);
  EXPECT_NEAR(fit.rate.interval.high - 0.6, 4.302653 * std::sqrt(0.02), 1e-5);
}

TEST(FitLog, RefusesTooFewPointsAndBadOnes) {
  const std::vector<double> three = {1, 2, 3}, four = {1, 2, 3, 4}, same = {2, 2, 2, 2}, bad = {1, 2, 0, 4};
  EXPECT_THROW(fit_log(three, three), InputError);
  EXPECT_THROW(fit_log(same, four), InputError);
  EXPECT_THROW(fit_log(four, bad), InputError);
}

}  // namespace
}  // namespace hardhead::study
