#include "base/statistics/tail_exponent.h"

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

std::vector<std::vector<double>> one(std::vector<double> sample) {
  return {std::move(sample)};
}

TEST(TailExponent, CoversTheTruthAsOftenAsItSays) {
  for (const double b : {1.0, 3.0}) {
    int covered = 0;
    double mean = 0;
    constexpr int trials = 400;
    for (int t = 0; t < trials; ++t) {
      const Estimate e = tail_exponent(one(smallest(b, 2000, 50, static_cast<std::uint64_t>(t))));
      covered += e.interval.low <= b && b <= e.interval.high ? 1 : 0;
      mean += e.value / trials;
    }
    // 95% of 400 is 380 +- 4.4; the mean's standard error is b / sqrt(48 * 400) = 0.007 b.
    EXPECT_NEAR(covered, 380, 18);
    EXPECT_NEAR(mean, b, 0.03 * b);
  }
}

TEST(TailExponent, OfPooledSamplesIsOneThoughTheirConstantsDiffer) {
  constexpr double b = 2;
  int covered = 0;
  double width = 0, alone = 0;
  constexpr int trials = 400;
  for (int t = 0; t < trials; ++t) {
    std::vector<std::vector<double>> samples;
    for (int layer = 0; layer < 4; ++layer) {
      samples.push_back(smallest(b, 500, 25, static_cast<std::uint64_t>(4 * t + layer)));
      for (double& score : samples.back()) score *= layer + 1;  // P(score <= eps) = (eps / (layer + 1))^b
    }
    const Estimate pooled = tail_exponent(samples), first = tail_exponent(one(samples.front()));
    covered += pooled.interval.low <= b && b <= pooled.interval.high ? 1 : 0;
    width += pooled.interval.high - pooled.interval.low;
    alone += first.interval.high - first.interval.low;
  }
  EXPECT_NEAR(covered, 380, 18);
  EXPECT_NEAR(width / alone, 0.5, 0.05) << "four times as many scores";
}

TEST(TailExponent, RefusesWhatHasNone) {
  EXPECT_THROW(tail_exponent({}), InputError);
  EXPECT_THROW(tail_exponent(one({1, 2, 3})), InputError);
  EXPECT_THROW(tail_exponent(one({0, 1, 2, 3})), InputError);
  EXPECT_THROW(tail_exponent(one({1, 2, 1.5, 3})), InputError);
  EXPECT_THROW(tail_exponent(one({2, 2, 2, 2})), InputError);
}

}  // namespace
}  // namespace hardhead::statistics
