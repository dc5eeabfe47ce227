#include "base/statistics/binomial_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"

namespace hardhead::statistics {
namespace {

double log_likelihood(const std::vector<Successes>& places, const std::vector<double>& shares) {
  double sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto s = static_cast<double>(places[i].successes),
               failures = static_cast<double>(places[i].trials) - s;
    if (s > 0) sum += s * std::log(shares[i]);
    if (failures > 0) sum += failures * std::log(1 - shares[i]);
  }
  return sum;
}

TEST(Isotonic, SharesThatRiseStayAsTheyAre) {
  EXPECT_EQ(nondecreasing_shares({{0, 4}, {1, 4}, {4, 4}}), (std::vector<double>{0, 0.25, 1}));
}

TEST(Isotonic, NeighboursThatFallArePooledByTheirTrials) {
  // (3 + 0) / (4 + 8) at both places.
  EXPECT_EQ(nondecreasing_shares({{3, 4}, {0, 8}, {9, 9}}), (std::vector<double>{0.25, 0.25, 1}));
  EXPECT_EQ(nondecreasing_shares({{2, 2}, {1, 2}, {0, 2}}), (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST(Isotonic, NoOtherNondecreasingSharesAreLikelier) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Successes> places;
    for (int i = 0; i < 5; ++i) {
      const auto trials = static_cast<std::int64_t>(1 + random() % 9);
      places.push_back({static_cast<std::int64_t>(random() % static_cast<unsigned>(trials + 1)), trials});
    }
    const std::vector<double> fit = nondecreasing_shares(places);
    EXPECT_TRUE(std::ranges::is_sorted(fit));
    std::vector<double> other(places.size());
    for (double& share : other) share = static_cast<double>(1 + random() % 999) / 1000;
    std::ranges::sort(other);
    EXPECT_GE(log_likelihood(places, fit), log_likelihood(places, other) - 1e-9);
  }
}

TEST(Isotonic, WhatAreNoCountsIsRefused) {
  EXPECT_THROW(nondecreasing_shares({{1, 0}}), InputError);
  EXPECT_THROW(nondecreasing_shares({{-1, 2}}), InputError);
  EXPECT_THROW(nondecreasing_shares({{3, 2}}), InputError);
  EXPECT_TRUE(nondecreasing_shares({}).empty());
}

}  // namespace
}  // namespace hardhead::statistics
