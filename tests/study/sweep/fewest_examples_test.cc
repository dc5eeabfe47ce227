#include "study/sweep/fewest_examples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace hardhead::study {
namespace {

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
  const auto found = fewest_examples({.source = "nice:d=6,k=2,m=1",
                                      .method = Spec::parse("phase1"),
                                      .seed = 5,
                                      .seeds = 2,
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
  fewest_examples({.source = "nice:d=6,k=2,m=1",
                   .method = Spec::parse("phase1"),
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
