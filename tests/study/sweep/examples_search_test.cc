#include "study/sweep/examples_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "base/error.h"

namespace hardhead::study {
namespace {

SuccessCurve counted(const std::vector<std::pair<std::int64_t, std::int64_t>>& successes, std::int64_t runs) {
  SuccessCurve curve;
  for (const auto& [examples, good] : successes) {
    BudgetResult budget;
    budget.examples = examples;
    budget.successes = good;
    budget.runs = runs;
    curve.budgets.push_back(budget);
  }
  return curve;
}

TEST(SuccessCurve, ExamplesLieBetweenTheBudgetsByTheirLogarithm) {
  SuccessCurve curve = counted({{100, 0}, {400, 20}}, 20);
  judge(curve, 0.5, 2);
  ASSERT_TRUE(curve.examples && curve.low && curve.high);
  EXPECT_NEAR(*curve.examples, 200, 1e-9);
  EXPECT_EQ(*curve.low, 100);
  EXPECT_EQ(*curve.high, 400);
}

TEST(SuccessCurve, WhatFewRunsCannotTellIsLeftOpen) {
  SuccessCurve curve = counted({{100, 0}, {200, 2}}, 2);
  judge(curve, 0.5, 2);
  EXPECT_TRUE(curve.examples) << "the fit crosses";
  EXPECT_FALSE(curve.low);
  EXPECT_FALSE(curve.high);
  SuccessCurve never = counted({{100, 0}, {200, 0}}, 20);
  judge(never, 0.5, 2);
  EXPECT_FALSE(never.examples);
  EXPECT_EQ(never.low, 200);
}

TEST(SuccessCurve, TheIntervalHoldsTheTrueNumberInNineteenOfTwenty) {
  // Success by the logistic law in ln examples, half at 700 examples: not one of the budgets.
  const double half = 700;
  std::mt19937_64 random(3);
  int held = 0;
  constexpr int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    SuccessCurve curve;
    for (std::int64_t examples = 100; examples <= 12'800; examples *= 2) {
      const double p = 1 / (1 + std::pow(half / static_cast<double>(examples), 2.5));
      std::binomial_distribution<std::int64_t> runs(20, p);
      BudgetResult budget;
      budget.examples = examples;
      budget.successes = runs(random);
      budget.runs = 20;
      curve.budgets.push_back(budget);
      judge(curve, 0.5, 8);
      if (curve.high) break;
    }
    held += curve.low.value_or(0) < half && half <= curve.high.value_or(1e18) ? 1 : 0;
  }
  EXPECT_GE(held, static_cast<int>(0.95 * rounds));
}

TEST(SuccessCurve, EndsWhereTheLearnerSurelySucceeds) {
  ExamplesSearch search;
  search.plan.sources = {"nice:d=6,k=2,m=1"};
  search.plan.learners = {Spec::parse("gauss-newton")};
  search.plan.seeds = 10;
  search.least = 8;
  search.most = 100'000;
  const SuccessCurve curve = success_curve(search, {});
  ASSERT_TRUE(curve.high && curve.examples);
  EXPECT_EQ(static_cast<double>(curve.budgets.back().examples), *curve.high);
  EXPECT_LE(*curve.examples, *curve.high);
  EXPECT_EQ(curve.budgets.front().examples, 8);
  const report::Figure figure = success_figure({curve}, 0.5);
  EXPECT_EQ(figure.curves.size(), 2U);
  EXPECT_EQ(figure.curves[0].points.size(), curve.budgets.size());
}

TEST(SuccessCurve, AsksForOneBudgetAfterTheOther) {
  ExamplesSearch search;
  search.least = 10;
  std::vector<std::int64_t> asked;
  const auto attempt = [&](std::int64_t examples) {
    asked.push_back(examples);
    BudgetResult out;
    out.successes = examples < 40 ? 0 : 20;
    out.runs = 20;
    return std::optional(out);
  };
  const SuccessCurve curve = curve_of_attempts(search, attempt);
  EXPECT_EQ(asked, (std::vector<std::int64_t>{10, 20, 40}));
  EXPECT_EQ(curve.low, 20);
  EXPECT_EQ(curve.high, 40);
  EXPECT_TRUE(curve_of_attempts(search, [](std::int64_t) { return std::nullopt; }).interrupted);
}

TEST(SuccessCurve, StopsAtFullSuccessWhereTheSeedsAreTooFewForAnUpperEnd) {
  ExamplesSearch search;  // 17 budgets
  EXPECT_EQ(seeds_for_interval(search), 10);
  std::int64_t runs = 0;
  int tried = 0;
  const auto all_succeed = [&](std::int64_t) {
    ++tried;
    BudgetResult out;
    out.successes = out.runs = runs;
    return std::optional(out);
  };
  for (runs = 8; runs <= 10; ++runs) {
    const SuccessCurve curve = curve_of_attempts(search, all_succeed);
    EXPECT_EQ(curve.budgets.size(), 1U);
    EXPECT_EQ(curve.high.has_value(), runs >= 10) << runs;
    EXPECT_GT(curve.budgets[0].interval.low, 0.6) << "its own";
  }
  EXPECT_EQ(tried, 3);
  search.probability = 0.9;
  EXPECT_GT(seeds_for_interval(search), 60);
}

TEST(SuccessCurve, BudgetsThatAreNoneAreRefused) {
  ExamplesSearch search;
  search.plan.sources = {"nice:d=6,k=2,m=1"};
  search.plan.learners = {Spec::parse("phase1")};
  for (const double p : {0.0, 1.0, -1.0}) {
    search.probability = p;
    EXPECT_THROW(success_curve(search, {}), InputError) << p;
  }
  search.probability = 0.5;
  search.ratio = 1;
  EXPECT_THROW(success_curve(search, {}), InputError);
  search.ratio = 2;
  search.least = 1000;
  search.most = 100;
  EXPECT_THROW(success_curve(search, {}), InputError);
}

TEST(FewestExamples, IsTheFirstBudgetThatMeetsTheGoalOnEverySeed) {
  std::vector<std::int64_t> used;
  std::set<std::uint64_t> seeds;
  std::set<std::string> specs;
  const Goal from_300 = [&](const RunResult& run) -> std::optional<double> {
    used.push_back(run.report.examples_used);
    seeds.insert(run.request.task.seed);
    specs.insert(run.problem.spec.substr(run.problem.spec.rfind(',') + 1));
    return run.report.examples_used >= 300 ? std::optional(0.5) : std::nullopt;
  };
  const Goal never = [](const RunResult&) { return std::nullopt; };
  const Goal goals[] = {from_300, never};
  const auto found = fewest_examples(
      {.plan = {.sources = {"nice:d=6,k=2,m=1"}, .learners = {Spec::parse("phase1")}, .seeds = 2, .seed = 5},
       .least = 100,
       .most = 1000},
      goals, RunContext{});
  EXPECT_EQ(seeds, (std::set<std::uint64_t>{5, 6}));
  EXPECT_EQ(specs, (std::set<std::string>{"seed=5", "seed=6"}));
  EXPECT_EQ(used, (std::vector<std::int64_t>{100, 100, 200, 200, 400, 400, 800, 800}));
  EXPECT_EQ(found[0].examples, 400);
  EXPECT_EQ(found[0].seconds, 0.5);
  EXPECT_EQ(found[1].examples, 0);
}

TEST(FewestExamples, BudgetsGrowByTheRatio) {
  std::vector<std::int64_t> used;
  const Goal goals[] = {[&](const RunResult& run) -> std::optional<double> {
    used.push_back(run.report.examples_used);
    return std::nullopt;
  }};
  fewest_examples({.plan = {.sources = {"nice:d=6,k=2,m=1"}, .learners = {Spec::parse("phase1")}},
                   .least = 100,
                   .most = 400,
                   .ratio = std::sqrt(2)},
                  goals, RunContext{});
  EXPECT_EQ(used, (std::vector<std::int64_t>{100, 141, 200, 283, 400}));
}

TEST(FewestExamples, AGoalIsReachedAtTheEndOfItsPhase) {
  RunResult run;
  run.report.phases = {{.name = "a", .seconds = 1, .measures = {{"x", 3}}},
                       {.name = "b", .seconds = 2, .measures = {{"x", 1}}}};
  EXPECT_EQ(reaches("a", "x", 3)(run), 1);
  EXPECT_EQ(reaches("b", "x", 1)(run), 3);
  EXPECT_FALSE(reaches("b", "x", 0.9)(run));
  EXPECT_FALSE(reaches("c", "x", 9)(run));
  run.score.outcome = Outcome::recovered;
  run.report.seconds = 4;
  EXPECT_EQ(recovers(run), 4);
}

}  // namespace
}  // namespace hardhead::study
