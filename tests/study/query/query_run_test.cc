#include "study/query/query_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "queries/mobius/mobius.h"

namespace hardhead::study {
namespace {

QueryRequest request_of(const char* learner, QueryLength length = QueryLength::fixed) {
  QueryRequest out;
  out.learner = Spec::parse(learner);
  out.length = length;
  return out;
}

TEST(QueryRun, ALayerOfHeadsIsRecovered) {
  const QueryResult result = query_run("nice:d=8,k=2,m=2", request_of("mobius"));
  EXPECT_EQ(result.score.degree, Degree::recovered);
  EXPECT_EQ(result.score.heads_found, 2);
  EXPECT_EQ(result.report.queries_used, queries::mobius::all_queries(8, 2));
  EXPECT_TRUE(result.steps[1].test_error) << "the layer before the polish is scored, too";
  const auto json = to_json(result);
  EXPECT_EQ(json["degree"], "recovered");
  EXPECT_EQ(json["queries_used"], queries::mobius::all_queries(8, 2));
}

TEST(QueryRun, WhatAHardFamilyHidesIsCompared) {
  const QueryResult parity = query_run("parity:d=12,m=3", request_of("flip"));
  EXPECT_EQ(parity.hidden_right, true);
  EXPECT_EQ(parity.report.queries_used, 11);
  EXPECT_EQ(parity.score.degree, Degree::recovered);
  const QueryResult minimal = query_run("parity:d=12,m=4,variant=minimal", request_of("flip"));
  EXPECT_EQ(minimal.hidden_right, true);
  const QueryResult lwr = query_run("lwr:n=3,q=8", request_of("flip"));
  EXPECT_EQ(lwr.hidden_right, true);
  EXPECT_EQ(lwr.report.queries_used, 9);
}

TEST(QueryRun, AnExactLayerIsComparedEntryByEntry) {
  const QueryResult result = query_run("parity:d=6,m=2", request_of("rational", QueryLength::free));
  EXPECT_EQ(result.exactly_right, true);
}

TEST(QueryRun, ASpentBudgetIsAnOutcome) {
  QueryRequest request = request_of("mobius");
  request.budget = 20;
  const QueryResult result = query_run("nice:d=8,k=2,m=2", request);
  EXPECT_EQ(result.report.ending, queries::Ending::out_of_queries);
  EXPECT_EQ(result.score.outcome, Outcome::stopped);
  EXPECT_EQ(result.score.degree, Degree::nothing);
}

TEST(QueryRun, WrongUsesAreRefused) {
  EXPECT_THROW(query_run("nice:d=8,k=3", request_of("mobius")), InputError);
  EXPECT_THROW(query_run("nice:d=8,k=2", request_of("flip")), InputError);
  EXPECT_THROW(query_run("nice:d=8,k=2", request_of("rational", QueryLength::free)), InputError);
  EXPECT_THROW(query_run("parity:d=6,m=2", request_of("rational")), InputError);
  EXPECT_THROW(query_run("parity:d=6,m=2", request_of("single", QueryLength::free)), InputError);
  EXPECT_THROW(query_run("nice:d=8,k=2", request_of("nothing")), InputError);
}

}  // namespace
}  // namespace hardhead::study
