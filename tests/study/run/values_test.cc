#include "study/run/values.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "learner/mobius/mobius.h"
#include "study/run/run.h"
#include "study/sweep/compare.h"

namespace hardhead::study {
namespace {

RunResult result_of(const char* source, const char* learner, ValueAccess values = {}) {
  RunOptions options{.method = Spec::parse(learner)};
  options.values = std::move(values);
  return run(open_problem({source}, {}), options, {});
}

TEST(Values, ALayerOfHeadsIsRecovered) {
  const RunResult result = result_of("nice:d=8,k=2,m=2", "mobius");
  EXPECT_EQ(result.score.degree, Degree::recovered);
  EXPECT_EQ(result.score.heads_found, 2);
  ASSERT_TRUE(result.request.method.asks_values());
  const auto json = to_json(result);
  const auto blocks_given_up = json["phases"][1]["repeats"].get<attention::Index>();
  const attention::Index queries =
      learner::mobius::all_queries(8, 2) + blocks_given_up * learner::mobius::relation_queries(2);
  EXPECT_EQ(result.report.queries_used, queries);
  EXPECT_EQ(result.request.values.length, QueryLength::fixed);
  EXPECT_EQ(result.report.examples_used, 0);
  EXPECT_EQ(json["access"], "values");
  EXPECT_EQ(json["queries_used"], queries);
  EXPECT_LE(json["phases"][1]["test_error"], 1e-10) << "the layer before the polish is scored, too";
}

TEST(Values, WhatAHardFamilyHidesIsCompared) {
  const RunResult parity = result_of("parity:d=12,m=3", "flip");
  EXPECT_EQ(parity.score.hidden_right, true);
  EXPECT_EQ(parity.report.queries_used, 11);
  EXPECT_EQ(parity.score.degree, Degree::recovered);
  EXPECT_EQ(result_of("parity:d=12,m=4,variant=minimal", "flip").score.hidden_right, true);
  const RunResult lwr = result_of("lwr:n=3,q=8", "flip");
  EXPECT_EQ(lwr.score.hidden_right, true);
  EXPECT_EQ(lwr.report.queries_used, 9);
}

TEST(Values, ALearnerOfFreeLengthGetsItUnlessItIsRefused) {
  const RunResult result = result_of("parity:d=6,m=2", "rational");
  EXPECT_EQ(result.score.exactly_right, true);
  EXPECT_EQ(result.request.values.length, QueryLength::free);
  EXPECT_THROW(result_of("parity:d=6,m=2", "rational", {.length = QueryLength::fixed}), InputError);
}

TEST(Values, InAComparisonEachLearnerIsToldWhatItCanUse) {
  Plan plan{.sources = {"nice:d=6,k=2,m=1"}, .learners = {Spec::parse("mobius"), Spec::parse("phase1")}};
  plan.run.task.examples = 300;
  plan.run.values.budget = 1000;
  const std::vector<ComparisonRow> rows = compare(plan, {}).rows;
  const RunOptions &by_values = rows[0].runs[0].request, &by_examples = rows[1].runs[0].request;
  EXPECT_FALSE(by_values.task.examples);
  EXPECT_EQ(by_values.values.budget, 1000);
  EXPECT_EQ(by_examples.task.examples, 300);
  EXPECT_FALSE(by_examples.values.budget);
}

TEST(Values, ASpentBudgetIsAnOutcome) {
  const RunResult result = result_of("nice:d=8,k=2,m=2", "mobius", {.budget = 20});
  EXPECT_EQ(result.report.ending, learner::Ending::out_of_queries);
  EXPECT_LE(result.report.queries_used, 20);
  EXPECT_EQ(result.score.outcome, Outcome::stopped);
  EXPECT_EQ(result.score.degree, Degree::nothing);
}

TEST(Values, AnswersAreOffByTheTolerance) {
  const double exact = result_of("nice:d=8,k=2,m=2", "mobius").score.test_error;
  const double noisy = result_of("nice:d=8,k=2,m=2", "mobius", {.tolerance = {.tau = 1e-6}}).score.test_error;
  EXPECT_GT(noisy, 1e6 * exact);
  EXPECT_LT(noisy, 1e-6);
}

TEST(Values, ARunIsReadBackFromItsJson) {
  const RunResult written = result_of("parity:d=12,m=3", "flip", {.budget = 50});
  const auto json = to_json(written);
  const RunResult read = run_from_json(json, "here");
  EXPECT_EQ(to_json(read), json);
  EXPECT_EQ(read.report.hidden, written.report.hidden);
  EXPECT_EQ(read.request.values.budget, 50);
}

TEST(Values, WrongUsesAreRefused) {
  const std::pair<const char*, const char*> askings[] = {{"nice:d=8,k=3", "mobius"},
                                                         {"nice:d=8,k=2", "flip"},
                                                         {"nice:d=8,k=2", "rational"},
                                                         {"parity:d=6,m=2", "single"}};
  for (const auto& [source, learner] : askings) {
    EXPECT_THROW(result_of(source, learner), InputError) << source << " " << learner;
    EXPECT_THROW(check_asking(Spec::parse(learner), {}, source), InputError) << "before it is opened";
  }
  EXPECT_THROW(check_asking(Spec::parse("rational"), {.length = QueryLength::fixed}, "parity:d=6,m=2"),
               InputError);
  EXPECT_NO_THROW(check_asking(Spec::parse("mobius"), {.length = QueryLength::free}, "nice:d=8,k=3"));
  EXPECT_NO_THROW(check_asking(Spec::parse("rational"), {}, "parity:d=6,m=2"));
  EXPECT_NO_THROW(check_asking(Spec::parse("sculpt"), {}, "nice:d=8,k=3"));
  EXPECT_THROW(result_of("nice:d=8,k=2", "nothing"), InputError);
}

}  // namespace
}  // namespace hardhead::study
