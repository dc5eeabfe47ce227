#include "study/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "learner/cost.h"
#include "statistics/median.h"
#include "study/sweep/compare.h"
#include "study/sweep/json.h"

namespace hardhead::study {
namespace {

RunOptions quick(const char* method, std::int64_t examples) {
  RunOptions options;
  options.method = Spec::parse(method);
  options.task.heads = 2;
  options.task.examples = examples;
  return options;
}

TEST(Run, ANiceInstanceIsRecoveredAndMeasuredPhaseByPhase) {
  const RunResult result = run(open_problem("nice:d=8,k=2,m=2", {}), quick("gauss-newton", 2000), {});
  EXPECT_EQ(result.score.outcome, Outcome::recovered) << result.report.message;
  EXPECT_LE(result.score.test_error, 1e-20);
  EXPECT_NEAR(result.score.advantage, 1, 1e-9);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(*result.score.parameter_error->theta_error[i], 1e-9);
    EXPECT_LE(*result.score.parameter_error->w_error[i], 1e-9);
  }
  std::vector<std::string> names;
  for (const learner::Phase& phase : result.report.phases)
    for (const auto& [name, value] : phase.measures) names.push_back(name);
  EXPECT_THAT(names, testing::IsSupersetOf({"test_error", "theta_error", "w_error"}));
}

TEST(Run, WithoutALayerTheScoreIsThatOfPredictingZero) {
  std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  const RunResult result = run(open_problem("parity:d=12,m=4", {}), quick("gauss-newton", 2000), context);
  EXPECT_EQ(result.score.outcome, Outcome::stopped);
  ASSERT_FALSE(result.report.layer);
  EXPECT_EQ(result.score.test_error, 1);
  EXPECT_EQ(result.score.advantage, 0);
  EXPECT_THAT(result.report.message, testing::HasSubstr("predicting zero"));
  EXPECT_FALSE(result.score.parameter_error->theta_error[0]);
}

TEST(Run, WrongMethodsAreRefusedBeforeTheRun) {
  const Problem problem = open_problem("nice:d=8,k=2", {});
  EXPECT_THROW(run(problem, quick("sculp", 2000), {}), InputError);
  EXPECT_THROW(run(problem, quick("sculpt:no=1", 2000), {}), InputError);
}

TEST(Json, NumbersThatAreNotFiniteAreNull) {
  RunResult result;
  result.score.test_error = std::numeric_limits<double>::quiet_NaN();
  result.score.advantage = -std::numeric_limits<double>::infinity();
  result.report.phases.resize(1);
  result.report.phases[0].add("gap", std::numeric_limits<double>::infinity());
  result.score.parameter_error = HeadMatch{{0}, {std::numeric_limits<double>::quiet_NaN()}, {std::nullopt}};
  const nlohmann::ordered_json json = to_json(result);
  EXPECT_TRUE(json["test_error"].is_null());
  EXPECT_TRUE(json["advantage"].is_null());
  EXPECT_TRUE(json["phases"][0]["gap"].is_null());
  EXPECT_TRUE(json["phases"][0]["rows_kept"].is_null());
  EXPECT_TRUE(json["parameter_error"]["theta"][0].is_null());
  EXPECT_TRUE(json["parameter_error"]["w"][0].is_null());
  EXPECT_TRUE(json["failed_phase"].is_null());
  EXPECT_TRUE(json["instance"]["spec"].is_null());
}

TEST(Compare, SeedsTakeTheInstancesOneAfterTheOther) {
  ComparisonPlan plan;
  plan.sources = {"nice:d=8,k=2,m=2,seed=7"};
  plan.methods = {Spec::parse("gauss-newton")};
  plan.seeds = 3;
  plan.run = quick("gauss-newton", 1500);
  const Comparison comparison = compare(plan, {});
  ASSERT_EQ(comparison.rows.size(), 1u);
  const ComparisonRow& row = comparison.rows[0];
  EXPECT_EQ(row.source, "nice:d=8,k=2,m=2");
  ASSERT_EQ(row.runs.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(row.runs[i].problem.spec, testing::HasSubstr("seed=" + std::to_string(7 + i)));
    EXPECT_EQ(row.runs[i].request.task.seed, 1 + i);
  }
  EXPECT_EQ(row.recovered, 3);
  EXPECT_EQ(row.heads_right, 3);
  EXPECT_NEAR(row.recovery_rate.low, 0.2924, 1e-4);
  EXPECT_LE(row.advantage_min, row.advantage_median);
  EXPECT_LE(row.advantage_median, row.advantage_max);
}

TEST(Compare, ARunBeyondItsBudgetIsStoppedAndTheOthersGoOn) {
  ComparisonPlan plan;
  plan.sources = {"nice:d=8,k=2,m=2"};
  plan.methods = {Spec::parse("paper"), Spec::parse("phase1")};
  plan.run = quick("gauss-newton", 1500);
  plan.run.task.memory_limit_bytes = learner::process_bytes + 50'000;
  const Comparison comparison = compare(plan, {});
  EXPECT_EQ(comparison.rows[0].runs[0].score.outcome, Outcome::stopped);
  EXPECT_THAT(comparison.rows[0].runs[0].report.message,
              testing::HasSubstr("Refused: paper is predicted to need"));
  EXPECT_EQ(comparison.rows[0].runs[0].score.test_error, 1);
  EXPECT_EQ(comparison.rows[0].runs[0].request.task.seed, 1u);
  EXPECT_EQ(comparison.rows[1].runs[0].score.outcome, Outcome::not_recovered) << "it ran";
}

TEST(Compare, AnInterruptedComparisonLeavesOutWhatWasNotDone) {
  std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  ComparisonPlan plan;
  plan.sources = {"nice:d=8,k=2,m=2"};
  plan.methods = {Spec::parse("gauss-newton")};
  const Comparison comparison = compare(plan, context);
  EXPECT_EQ(comparison.completion, Completion::interrupted);
  EXPECT_TRUE(comparison.rows[0].runs.empty());
  EXPECT_NO_THROW(to_json(comparison).dump());
}

TEST(Compare, EveryNameIsCheckedBeforeTheFirstRun) {
  ComparisonPlan plan;
  plan.sources = {"nice:d=8", "nise"};
  plan.methods = {Spec::parse("gauss-newton")};
  EXPECT_THROW(compare(plan, {}), InputError);
  plan.sources = {"nice:d=8"};
  plan.methods.push_back(Spec::parse("newton"));
  EXPECT_THROW(compare(plan, {}), InputError);
}

TEST(Compare, MedianIsTheMiddle) {
  EXPECT_EQ(statistics::median({3, 1, 2}), 2);
  EXPECT_EQ(statistics::median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(statistics::median({})));
}

}  // namespace
}  // namespace hardhead::study
