#include <gmock/gmock.h>

#include "tests/learner/layer_error.h"

namespace hardhead::learner {
namespace {

using ::testing::HasSubstr;

/// A layer of d = 2 and one head, asked by the program `shell`.
Report asked_by(const std::string& shell, OracleOptions options = {.tokens = 2}) {
  const hardness::Instance instance = instance_of("nice:k=2,d=2,m=1");
  ValueOracle oracle(instance.teacher, 2, std::move(options));
  return learn(parse_learner("exec:access=values,command=" + shell), oracle, {});
}

TEST(ValueProgram, AProgramAsksAndHandsBackALayer) {
  const Report report = asked_by(
      "read task; echo '{\"ask\": [[[1, 1], [1, -1]], [[1, -1], [1, 1]]]}'; read values; echo \"$task\" >&2; "
      "echo '{\"theta\": [[[1, 0], [0, 1]]], \"w\": [[[2, 0], [0, 2]]]}'");
  ASSERT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_EQ(report.queries_used, 2);
  EXPECT_EQ(report.tokens_used, 4);
  EXPECT_EQ(report.layer->heads.at(0).w, 2 * attention::Matrix::Identity(2, 2));
}

TEST(ValueProgram, ValuesAreThoseOfTheLayer) {
  // The program hands back W = F(e_1), F(e_2) of single tokens, which is W itself.
  const Report report = asked_by(
      "read task; echo '{\"ask\": [[[1, 0]], [[0, 1]]]}'; read values; "
      "w=$(echo \"$values\" | sed 's/.*\\[\\[\\[/[[/; s/\\]\\],\\[\\[/],[/; s/\\]\\]\\]}/]]/'); "
      "echo \"{\\\"theta\\\": [[[0, 0], [0, 0]]], \\\"w\\\": [$w]}\"",
      {.tokens = 1});
  ASSERT_EQ(report.ending, Ending::finished) << report.message;
  const attention::Matrix truth = instance_of("nice:k=2,d=2,m=1").layer.heads[0].w;
  EXPECT_LE((report.layer->heads.at(0).w - truth).norm(), 1e-12 * truth.norm());
}

TEST(ValueProgram, WhatAProgramDoesWrongIsAnOutcome) {
  const struct {
    const char *shell, *message;
  } cases[] = {
      {"exit 3", "exit code 3 and without a layer"},
      {"echo no >&2; exit 1", "no"},
      {"echo hello; sleep 9", "hello"},
      {"echo '[]'", "no JSON object"},
      {"echo '{\"x\": 1}'", "neither 'ask' nor 'theta'"},
      {"echo '{\"ask\": []}'", "not a list of X"},
      {"echo '{\"ask\": [[[1, 2, 3]]]}'", "a list of 2 numbers"},
      {"echo '{\"ask\": [[[1, \"a\"]]]}'", "no number"},
      {"echo '{\"ask\": [[[1, 1]]]}'", "this oracle takes 2 tokens"},
      {"echo '{\"ask\": [[[1, 1], [1, 1]], [[1, 1]]]}'", "1 tokens, the first has 2"},
      {"echo '{\"theta\": [[[1, 0], [0, 1]]], \"w\": []}'", "two lists"},
      {"echo '{\"theta\": [[[1, 0]]], \"w\": [[[1, 0], [0, 1]]]}'", "cannot be used"},
  };
  for (const auto& c : cases) {
    const Report report = asked_by(c.shell);
    EXPECT_EQ(report.ending, Ending::failed) << c.shell;
    EXPECT_EQ(report.failed_phase, "exec");
    EXPECT_THAT(report.message, HasSubstr(c.message)) << c.shell;
    EXPECT_FALSE(report.layer);
  }
}

TEST(ValueProgram, ABudgetAndATimeLimitEndTheProgram) {
  const Report spent =
      asked_by("read task; echo '{\"ask\": [[[1, 1], [1, -1]], [[1, -1], [1, 1]]]}'; sleep 60",
               {.tokens = 2, .budget = 1});
  EXPECT_EQ(spent.ending, Ending::out_of_queries);
  EXPECT_EQ(spent.queries_used, 0);
  const hardness::Instance instance = instance_of("nice:k=2,d=2,m=1");
  ValueOracle oracle(instance.teacher, 2, {.tokens = 2});
  RunContext context;
  context.stop = StopToken{}.with_time_limit(0.1);
  EXPECT_EQ(learn(parse_learner("exec:access=values,command=sleep 60"), oracle, {}, context).ending,
            Ending::stopped);
}

}  // namespace
}  // namespace hardhead::learner
