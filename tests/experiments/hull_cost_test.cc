#include "experiments/hull_cost.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "study/sweep/journal.h"
#include "tests/scratch_folder.h"

namespace hardhead::experiments {
namespace {

/// Readings at 100, 200, 400, .. with these distances.
study::RunResult readings(const std::vector<double>& distances) {
  study::RunResult run;
  std::int64_t examples = 100;
  for (const double distance : distances) {
    run.report.phases.push_back({.name = "reading", .seconds = 1, .examples = examples});
    run.report.phases.back().add("hull_distance", distance);
    examples *= 2;
  }
  return run;
}

TEST(HullCost, IsInterpolatedBetweenTwoReadings) {
  // ln distance falls linearly in ln examples: 0.4, 0.2, 0.05, so that 0.1 lies half way from 200 to 400.
  const HullCost cost = hull_cost(readings({0.4, 0.2, 0.05, 0.04}), 0.1);
  EXPECT_NEAR(cost.examples, 200 * std::sqrt(2), 1e-9);
  EXPECT_FALSE(cost.censored);
  EXPECT_FALSE(cost.at_first);
}

TEST(HullCost, AReadingThatDoesNotLastDoesNotCount) {
  const HullCost cost = hull_cost(readings({0.4, 0.09, 0.2, 0.05, 0.05}), 0.1);
  EXPECT_NEAR(cost.examples, 400 * std::sqrt(2), 1e-9);
}

TEST(HullCost, IsCensoredWhereItIsNotReachedAndBoundedWhereItIsThereAtOnce) {
  EXPECT_TRUE(hull_cost(readings({0.4, 0.3, 0.2}), 0.1).censored);
  EXPECT_EQ(hull_cost(readings({0.4, 0.3, 0.2}), 0.1).examples, 400);
  EXPECT_TRUE(hull_cost(readings({0.4, 0.3, 0.05}), 0.1).censored) << "one reading says too little";
  EXPECT_TRUE(hull_cost(readings({}), 0.1).censored);
  const HullCost first = hull_cost(readings({0.09, 0.05, 0.01}), 0.1);
  EXPECT_TRUE(first.at_first);
  EXPECT_EQ(first.examples, 100);
}

HullReadings brief() {
  return {.source = "nice:d=8,k=2,m=2,seed=4", .seed = 4, .first = 300, .most = 200'000};
}

TEST(ReadHull, ReadsAtAGeometricGridUntilTheHullIsNearTwice) {
  const study::RunResult run = read_hull(brief(), {}, RunContext{});
  const std::vector<learner::Phase>& found = run.report.phases;
  ASSERT_GE(found.size(), 3u) << run.report.message;
  EXPECT_LE(found.size(), 40u);
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i].examples) / static_cast<double>(found[i - 1].examples),
                std::exp2(0.25), 0.01);
  const auto distance = [&](std::size_t i) { return found[i].measures.front().second; };
  EXPECT_LE(distance(found.size() - 1), 0.1);
  EXPECT_LE(distance(found.size() - 2), 0.1);
  EXPECT_GT(distance(found.size() - 3), 0.1);
  const HullCost cost = hull_cost(run, 0.1);
  EXPECT_GT(cost.examples, static_cast<double>(found[found.size() - 3].examples));
  EXPECT_LE(cost.examples, static_cast<double>(found[found.size() - 2].examples));
  EXPECT_EQ(run.request.task.heads, 2);
}

TEST(ReadHull, IsTakenFromTheJournalTheSecondTime) {
  const ScratchFolder folder;
  const std::string journal = folder.path("journal");
  const study::RunResult first = read_hull(brief(), journal, RunContext{});
  const std::atomic<bool> stop = true;
  RunContext stopped;
  stopped.stop = StopToken(&stop);
  const study::RunResult again = read_hull(brief(), journal, stopped);
  EXPECT_EQ(hull_cost(again, 0.1).examples, hull_cost(first, 0.1).examples);
  EXPECT_EQ(study::read_journal(journal).size(), 1u);
  HullReadings other = brief();
  other.seed = 5;
  EXPECT_THROW(read_hull(other, journal, stopped), Stopped) << "other examples are another run";
}

}  // namespace
}  // namespace hardhead::experiments
