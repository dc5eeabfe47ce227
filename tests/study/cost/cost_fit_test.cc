#include "study/cost/cost_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

namespace hardhead::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Runs of three seeds with examples = 100 d^(0.5 m), up to a few percent a size and a tenth a seed, and 2e-6
/// d seconds an example; those of more than `limit` examples are given up.
std::vector<MeasuredCost> parity_runs(int largest_m, double limit = INFINITY) {
  std::vector<MeasuredCost> out;
  for (int m = 2; m <= largest_m; ++m)
    for (const int d : {8, 12, 16, 24, 32})
      for (const int seed : {0, 1, 2}) {
        const double examples =
            100 * std::pow(d, 0.5 * m) * (0.9 + 0.1 * seed) * std::exp(0.03 * std::sin(d * m));
        MeasuredCost& run = out.emplace_back(MeasuredCost{
            "adam", "parity", d, 2, m, static_cast<std::uint64_t>(seed), std::min(examples, limit)});
        run.censored = examples > limit;
        if (!run.censored) run.seconds = 2e-6 * d * examples;
      }
  return out;
}

TEST(CostFit, PredictsExamplesAndSeconds) {
  const CostFit fit(parity_runs(6), {parity_cost_laws()});
  ASSERT_FALSE(fit.no_fit()) << *fit.no_fit();
  const LearnerCost cost = fit.at(64, 6);
  const double truth = 100 * std::pow(64, 3);
  EXPECT_NEAR(cost.examples.value / truth, 1, 0.1);
  EXPECT_LE(cost.examples.interval.low, truth);
  EXPECT_GE(cost.examples.interval.high, truth);
  EXPECT_NEAR(cost.seconds.value / (2e-6 * 64 * truth), 1, 0.1);
  EXPECT_EQ(cost.laws.front().name, "d^({1} m + {0})");
  EXPECT_THAT(cost.beyond, ElementsAre("d = 64 where 32 is the largest measured"));
  EXPECT_EQ(cost.measured, "m = 2 .. 6, d = 8 .. 32, 75 runs, 0 of them censored");
}

TEST(CostFit, SaysWhereNoSizeIsAsLargeInBoth) {
  std::vector<MeasuredCost> runs = parity_runs(6);
  std::erase_if(runs, [](const MeasuredCost& run) { return run.d == 32 && run.m > 4; });
  const CostFit fit(runs, {parity_cost_laws()});
  EXPECT_THAT(fit.at(32, 4).beyond, IsEmpty());
  EXPECT_THAT(fit.at(24, 6).beyond, IsEmpty());
  EXPECT_THAT(fit.at(32, 5).beyond,
              ElementsAre("d = 32 and m = 5, where no size with a success is as large in both"));
}

TEST(CostFit, SaysHowFarItExtrapolates) {
  const CostFit fit(parity_runs(6), {parity_cost_laws()});
  EXPECT_THAT(fit.at(16, 4).beyond, ElementsAre());
  EXPECT_THAT(fit.at(6, 8).beyond,
              ElementsAre("d = 6 where 8 is the smallest measured", "m = 8 where 6 is the largest measured"));
}

// The runs given up are those of m = 6 at d = 24 and 32. A law that takes them for measurements is too low.
TEST(CostFit, TakesRunsGivenUpForLowerBounds) {
  const CostFit fit(parity_runs(6, 1e6), {parity_cost_laws()});
  const double truth = 100 * std::pow(32, 3);
  ASSERT_FALSE(fit.no_fit()) << *fit.no_fit();
  EXPECT_NEAR(fit.at(32, 6).examples.value / truth, 1, 0.1);
  EXPECT_THAT(fit.at(32, 6).beyond,
              ElementsAre("d = 32 and m = 6, where no size with a success is as large in both"));
}

TEST(CostFit, IsRefusedToFewSizes) {
  const CostFit fit(parity_runs(5), {parity_cost_laws()});
  ASSERT_TRUE(fit.no_fit());
  EXPECT_THAT(*fit.no_fit(), HasSubstr("costs at 4 values of m, where laws are fitted to 5 or more"));
  EXPECT_EQ(fit.at(16, 3).no_fit, fit.no_fit());
}

TEST(CostFits, OfNiceLayersAreThoseOfTheNearestSize) {
  std::vector<MeasuredCost> runs;
  for (const int d : {16, 24})
    for (int m = 2; m <= 6; ++m)
      for (const double factor : {0.8, 1.0, 1.3}) {
        runs.push_back({"sculpt", "nice", d, 2, m, 1, factor * d * std::exp(2.0 * m), false, 1.0});
        runs.back().seed = runs.size();
      }
  const std::vector<CostFit> fits = cost_fits("nice", {21, 2}, runs);
  ASSERT_EQ(fits.size(), 1u);
  const LearnerCost cost = fits[0].at(21, 4);
  EXPECT_NEAR(cost.examples.value / (24 * std::exp(8.0)), 1, 0.1) << "24 is nearer to 21 in the ratio";
  EXPECT_THAT(cost.beyond, ElementsAre("d = 21 where 24 is the smallest measured"));
  EXPECT_TRUE(cost_fits("nice", {16, 3}, runs).empty()) << "not measured at k = 3";
  EXPECT_TRUE(cost_fits("parity", {16, 2}, runs).empty());
}

TEST(CostFits, OfParityLayersLeaveOutThoseThatHideNearlyNothing) {
  std::vector<MeasuredCost> runs = parity_runs(6);
  for (MeasuredCost& run : runs)
    if (ln_hidden_sets(run.d, run.m) < std::log(fewest_hidden_sets)) run.examples = 1e12;
  const LearnerCost cost = cost_fits("parity", {20, 2}, runs).at(0).at(20, 4);
  EXPECT_NEAR(cost.examples.value / (100 * 20 * 20), 1, 0.1);
}

TEST(CostFits, OfJuntasAreThoseOfOneFunctionAndGoByD) {
  std::vector<MeasuredCost> runs;
  for (const int d : {12, 16, 24, 32, 48})
    for (const auto& [family, m, power] :
         {std::tuple{"junta staircase", 3, 1.0}, {"junta parity", 3, 2.0}, {"junta parity", 4, 3.0}})
      runs.push_back(
          {"adam", family, d, 2, m, 1, 10 * std::pow(d, power) * (1 + 0.02 * std::sin(d)), false, 1});
  const LearnerCost cubic = cost_fits("junta parity", {64, 2, 4}, runs).at(0).at(64, 4);
  EXPECT_NEAR(cubic.examples.value / (10 * std::pow(64, 3)), 1, 0.1);
  EXPECT_NEAR(cubic.laws.front().coefficients.at(1), 3, 0.05);
  EXPECT_THAT(cubic.beyond, ElementsAre("d = 64 where 48 is the largest measured"));
  const LearnerCost linear = cost_fits("junta staircase", {20, 2, 3}, runs).at(0).at(20, 3);
  EXPECT_NEAR(linear.examples.value / 200, 1, 0.1);
  EXPECT_TRUE(cost_fits("junta staircase", {20, 2, 4}, runs).empty()) << "not measured at m = 4";
  EXPECT_TRUE(cost_fits("junta majority", {20, 2, 3}, runs).empty());
}

TEST(CostFits, OfRoundingGoByTheNumberOfSecrets) {
  std::vector<MeasuredCost> runs;
  for (int n = 2; n <= 7; ++n)
    for (const int bits : {2, 4})
      runs.push_back({"adam", "lwr", n * bits + 1, 2, n, 1,
                      100 * std::exp2(0.5 * n * bits) * (1 + 0.02 * std::sin(n * bits)), false, 1});
  const LearnerCost cost = cost_fits("lwr", {8 * 3 + 1, 2, 8}, runs).at(0).at(8 * 3 + 1, 8);
  EXPECT_NEAR(cost.examples.value / (100 * std::exp2(12)), 1, 0.1);
  EXPECT_EQ(cost.laws.front().name, "(q^n)^{}");
}

TEST(CostFits, OfNoisyParitiesGoByTheOnesOfTheSecret) {
  std::vector<MeasuredCost> runs = parity_runs(6);
  for (MeasuredCost& run : runs) run.family = "lpn";
  const LearnerCost cost = cost_fits("lpn", {20, 2, 4}, runs).at(0).at(20, 4);
  EXPECT_NEAR(cost.examples.value / (100 * 20 * 20), 1, 0.1);
}

TEST(LawText, PutsCoefficientsInTheirPlaces) {
  EXPECT_EQ(law_text("e^({} m)", {"1.9"}), "e^(1.9 m)");
  EXPECT_EQ(law_text("d^({1} m + {0})", {"-0.4", "0.5"}), "d^(0.5 m + -0.4)");
}

}  // namespace
}  // namespace hardhead::study
