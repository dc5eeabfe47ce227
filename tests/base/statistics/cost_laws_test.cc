#include "base/statistics/cost_laws.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "base/error.h"
#include "base/numeric/random.h"

namespace hardhead::statistics {
namespace {

using testing::HasSubstr;

const std::vector<CostLaw> laws{
    {"power", [](std::span<const double> at) { return std::vector{std::log(at[0])}; }},
    {"exponential", [](std::span<const double> at) { return std::vector{at[0]}; }},
    {"m ln m", [](std::span<const double> at) { return std::vector{at[0] * std::log(at[0])}; }},
    {"(m-1)^2", [](std::span<const double> at) { return std::vector{(at[0] - 1) * (at[0] - 1)}; }}};

/// ln cost = 5 + slope * terms + spread * (effect of the seed) + sigma e at m = 2 .. most; what costs more
/// than `limit` is censored.
struct Study {
  std::size_t law = 0;
  double slope = 4, sigma = 0.15, spread = 0.1, limit = INFINITY;
  std::uint64_t seeds = 10;
  int most = 6;
};

std::vector<Cost> simulated(const Study& study, std::uint64_t data_set) {
  const Stream stream(Domain::test, 11, "costs of a study");
  std::vector<Cost> costs;
  for (std::uint64_t seed = 0; seed < study.seeds; ++seed) {
    std::vector<double> noise(static_cast<std::size_t>(study.most));
    stream.normals(1000 * data_set + seed, noise);
    for (int m = 2; m <= study.most; ++m) {
      const std::vector<double> at{static_cast<double>(m)};
      const double cost = std::exp(5 + study.slope * laws[study.law].terms(at)[0] + study.spread * noise[0] +
                                   study.sigma * noise[static_cast<std::size_t>(m) - 1]);
      costs.push_back({at, std::min(cost, study.limit), cost > study.limit, seed});
    }
  }
  return costs;
}

constexpr std::uint64_t studies = 400;
constexpr int resamples = 100;

TEST(CostLaws, AreExactOnExactData) {
  const CostLawComparison found = compare_cost_laws(simulated({.sigma = 0, .spread = 0}, 0), laws, 1, 50);
  EXPECT_NEAR(found.fits[0].coefficients[0].value, 5, 1e-6);
  EXPECT_NEAR(found.fits[0].coefficients[1].value, 4, 1e-6);
  EXPECT_LT(found.fits[0].held_out_error, 1e-6);
  EXPECT_EQ(found.singled_out(), 0u);
  EXPECT_EQ(found.preferred[0][1], 1);
  EXPECT_EQ(found.preferred[1][0], 0);
  // From m = 2 .. 5 the exponential predicts more for m = 6 than the power.
  EXPECT_GT(found.fits[1].held_out_error, 0.3);
}

TEST(CostLaws, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  const std::span<const CostLaw> power(laws.data(), 1);
  struct Case {
    const char* name;
    Study study;
    double least;
  };
  // 95% of 400 is 380 +- 4.4.
  for (const Case& one :
       {Case{"10 seeds", {}, 0.9}, Case{"5 seeds", {.seeds = 5}, 0.88}, Case{"3 seeds", {.seeds = 3}, 0.85},
        Case{"10 seeds, a tenth censored", {.limit = std::exp(5 + 4 * std::log(6))}, 0.9},
        Case{"10 seeds that differ much", {.spread = 0.5}, 0.9}}) {
    double covered = 0;
    for (std::uint64_t i = 0; i < studies; ++i) {
      const Interval interval =
          compare_cost_laws(simulated(one.study, i), power, i, resamples).fits[0].coefficients[1].interval;
      covered += interval.low <= 4 && 4 <= interval.high ? 1.0 / studies : 0;
    }
    const std::string share = fmt::format("{}: the interval holds the exponent in {:.3f}", one.name, covered);
    std::cout << share << '\n';
    EXPECT_GE(covered, one.least) << share;
  }
}

TEST(CostLaws, SeldomPreferTheWrongLaw) {
  constexpr std::uint64_t few = 150;
  for (const Study& study :
       {Study{.law = 0, .slope = 7}, Study{.law = 1, .slope = 1.8}, Study{.law = 0, .slope = 7, .sigma = 0.5},
        Study{.law = 1, .slope = 1.8, .sigma = 0.5}, Study{.law = 0, .slope = 7, .seeds = 3},
        Study{.law = 1, .slope = 1.8, .seeds = 3}}) {
    double right = 0, wrong = 0;
    for (std::uint64_t i = 0; i < few; ++i) {
      const CostLawComparison found = compare_cost_laws(simulated(study, i), laws, i, resamples);
      bool to_another = false;
      for (std::size_t other = 0; other < laws.size(); ++other)
        to_another = to_another || found.prefers(other, study.law);
      wrong += to_another ? 1.0 / few : 0;
      right += found.prefers(study.law, study.law == 0 ? 1 : 0) ? 1.0 / few : 0;
    }
    const std::string shares = fmt::format(
        "{}, sigma {}, {} seeds: power and exponential told apart in {:.3f}, another law preferred "
        "to the true one in {:.3f}",
        laws[study.law].name, study.sigma, study.seeds, right, wrong);
    std::cout << shares << '\n';
    EXPECT_LE(wrong, 0.09) << shares;
    if (study.sigma < 0.2) {
      EXPECT_GE(right, 0.9) << shares;
    }
  }
}

TEST(CostPredictor, IsExactOnExactData) {
  const std::vector<CostPrediction> said =
      CostPredictor(simulated({.sigma = 0, .spread = 0, .seeds = 1}, 0), laws).at(std::vector{10.0});
  EXPECT_NEAR(said[0].cost.value / std::exp(5 + 4 * std::log(10)), 1, 1e-4);
  EXPECT_LT(said[0].cost.interval.high / said[0].cost.interval.low, 1.001);
  // The others do not hold, and their intervals say so.
  EXPECT_GT(said[1].cost.interval.high / said[1].cost.interval.low, 2);
  EXPECT_LT(said[0].aicc, said[1].aicc);
}

TEST(CostPredictor, IntervalsHoldANewCostAboutAsOftenAsTheySay) {
  const std::vector<CostLaw> power(laws.begin(), laws.begin() + 1);
  struct Case {
    const char* name;
    Study study;
  };
  for (const Case& one :
       {Case{"5 costs", {.spread = 0, .seeds = 1}}, Case{"15 costs", {.spread = 0, .seeds = 3}},
        Case{"15 costs, some of m = 6 censored",
             {.spread = 0, .limit = std::exp(5 + 4 * std::log(6)), .seeds = 3}}}) {
    for (const double m : {4.0, 12.0}) {
      double covered = 0;
      for (std::uint64_t i = 0; i < studies; ++i) {
        std::vector<double> noise(1);
        Stream(Domain::test, 12, "a new cost").normals(i, noise);
        const double cost = std::exp(5 + 4 * std::log(m) + one.study.sigma * noise[0]);
        const Interval interval =
            CostPredictor(simulated(one.study, i), power).at(std::vector{m})[0].cost.interval;
        covered += interval.low <= cost && cost <= interval.high ? 1.0 / studies : 0;
      }
      const std::string share = fmt::format("{}, m = {}: the interval holds {:.3f}", one.name, m, covered);
      std::cout << share << '\n';
      EXPECT_GE(covered, 0.9) << share;
    }
  }
}

TEST(CostPredictor, RefusesCostsThatDetermineNoLaw) {
  const auto refused = [](const std::vector<Cost>& costs, const std::string& message) {
    EXPECT_THAT([&] { CostPredictor(costs, laws); }, testing::ThrowsMessage<InputError>(HasSubstr(message)));
  };
  refused({}, "do not determine the law 'power'");
  refused(simulated({.seeds = 1, .most = 3}, 0), "do not determine the law 'power'");
  refused(simulated({.limit = 1}, 0), "do not determine the law 'power'");
  std::vector<Cost> costs = simulated({}, 0);
  costs[3].value = -1;
  refused(costs, "cost -1: a positive number");
}

TEST(CostLaws, SeedsAreDrawnAsAWhole) {
  // All of a seed's costs are alike, so that the seeds tell the spread of the intercept and of nothing else.
  const CostLawComparison found = compare_cost_laws(simulated({.sigma = 0, .spread = 1}, 0), laws, 1, 300);
  const Interval &intercept = found.fits[0].coefficients[0].interval,
                 &exponent = found.fits[0].coefficients[1].interval;
  EXPECT_GT(intercept.high - intercept.low, 0.3);
  EXPECT_LT(exponent.high - exponent.low, 1e-6);
}

TEST(CostLaws, RefuseWhatTheyCannotJudge) {
  const auto refused = [](const std::vector<Cost>& costs, const std::string& message) {
    EXPECT_THAT([&] { compare_cost_laws(costs, laws); },
                testing::ThrowsMessage<InputError>(HasSubstr(message)));
  };
  refused(simulated({.most = 5}, 0), "costs at 4 values, but laws are compared on 5 or more");
  refused(simulated({.limit = 2500}, 0), "but laws are compared on 5 or more");
  refused(simulated({.seeds = 1}, 0), "costs of 1 seeds");
  std::vector<Cost> costs = simulated({}, 0);
  costs[3].value = 0;
  refused(costs, "cost 0: a positive number");
  EXPECT_THAT([] { compare_cost_laws(simulated({}, 0), laws, 1, 0); },
              testing::ThrowsMessage<InputError>(HasSubstr("0 resamples")));
  const std::vector<CostLaw> same{
      {"twice", [](std::span<const double> at) { return std::vector{at[0], at[0]}; }}};
  EXPECT_THAT([&] { compare_cost_laws(simulated({}, 0), same); },
              testing::ThrowsMessage<InputError>(HasSubstr("do not determine the law 'twice'")));
}

}  // namespace
}  // namespace hardhead::statistics
