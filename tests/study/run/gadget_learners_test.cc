// The learners `walsh` and `table`, judged as runs are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "attention/files/data_file.h"
#include "study/run/run.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

RunResult run_of(const std::string& source, const char* options,
                 std::optional<std::int64_t> examples = std::nullopt) {
  RunOptions request;
  request.method = Spec::parse(options);
  request.task.examples = examples;
  return run(open_problem(source, {}), request, {});
}

RunResult walsh(const std::string& source, const char* options = "walsh") {
  return run_of(source, options);
}

TEST(Walsh, ReadsParitiesOfAllVariantsOffAFewExamples) {
  for (const char* spec : {"parity:d=20,m=4", "parity:d=20,m=2,variant=minimal",
                           "parity:d=12,m=5,variant=compact", "parity:d=64,m=3", "parity:d=12,m=11"})
    for (int seed = 1; seed <= 4; ++seed) {
      const RunResult result = walsh(std::string(spec) + ",seed=" + std::to_string(seed));
      EXPECT_EQ(result.score.degree, Degree::recovered) << spec << ": " << result.report.message;
      EXPECT_TRUE(result.score.hidden_right.value_or(false)) << spec;
      EXPECT_LE(result.report.examples_used, 256) << spec;
    }
}

TEST(Walsh, ReadsNoisyParities) {
  for (int seed = 1; seed <= 4; ++seed) {
    const RunResult result =
        walsh("lpn:n=20,rate=0.25,secret=fixed-weight,weight=3,seed=" + std::to_string(seed));
    EXPECT_TRUE(result.score.hidden_right.value_or(false)) << result.report.message;
    EXPECT_LE(result.score.test_error, 1e-20);
  }
}

TEST(Walsh, NamesNoSetWhereItLooksForTooFewBits) {
  const RunResult result = walsh("parity:d=20,m=4", "walsh:size=3");
  EXPECT_EQ(result.report.failed_phase, "correlations");
  EXPECT_THAT(result.report.message, testing::HasSubstr("no product of at most 3 bits"));
  EXPECT_EQ(result.report.examples_used, 100'000);
}

TEST(Walsh, RefusesLabelsOfMoreThanTwoValues) {
  EXPECT_THAT(walsh("lwr:n=3,p=4").report.message, testing::HasSubstr("more than two values"));
  for (const char* method : {"walsh", "table"})
    EXPECT_THAT(run_of("nice:d=8,k=2,m=2", method).report.message, testing::HasSubstr("columns other than"));
}

TEST(Table, LearnsAnyFunctionOfFewBits) {
  for (const char* spec : {"parity:d=12,m=11", "parity:d=12,m=4,variant=minimal", "junta:d=12,m=3", "lwr:n=3",
                           "staircase:n=3", "block-parity:d=8,m=4"})
    for (int seed = 1; seed <= 4; ++seed) {
      const RunResult result = run_of(std::string(spec) + ",seed=" + std::to_string(seed), "table");
      EXPECT_GE(result.score.degree, Degree::learnt) << spec << ": " << result.report.message;
    }
}

// An entry is missing with probability (1 - 2^-11)^n, n the examples with the switch on; a missing one is
// predicted as the mean, which is 0.
TEST(Table, ErrsOnWhatItHasNotSeen) {
  const RunResult result = run_of("parity:d=12,m=6,seed=1", "table", 4096);
  EXPECT_NEAR(result.score.test_error, std::exp(-4096 / 2.0 / 2048), 0.1);
  EXPECT_EQ(result.score.degree, Degree::partly);
}

TEST(Table, AveragesNoise) {
  const RunResult result = run_of("lpn:n=6,rate=0.25", "table", 200'000);
  EXPECT_EQ(result.score.degree, Degree::learnt) << result.report.message;
}

TEST(Walsh, PredictsLabelsOfExamplesWithoutAFamily) {
  const ScratchFolder folder;
  const std::string path = folder.path("data.safetensors");
  for (const char* spec : {"parity:d=20,m=3", "parity:d=12,m=4,variant=minimal"}) {
    const Problem made = open_problem(spec, {});
    attention::write_data(path, *made.training, 4000, {}, {});
    const RunResult result = walsh(path);
    EXPECT_EQ(result.score.degree, Degree::recovered) << spec << ": " << result.report.message;
    EXPECT_FALSE(result.score.hidden_right) << "nothing is known of what is hidden";
  }
}

TEST(Table, FailsWhereItWouldNotFit) {
  const RunResult result = run_of("parity:d=40,m=2", "table");
  EXPECT_EQ(result.report.failed_phase, "table");
  EXPECT_THAT(result.report.message, testing::HasSubstr("2^39"));
  EXPECT_EQ(result.report.examples_used, 0);
  EXPECT_THAT(run_of("nice:d=6,k=3,m=1", "table").report.message, testing::HasSubstr("k = 3"));
}

TEST(Walsh, ScoresAPartOfTheTruthAsNoLayer) {
  const RunResult result = walsh("lwr:n=3");
  EXPECT_EQ(result.score.degree, Degree::nothing);
  EXPECT_FALSE(result.score.hidden_right);
}

}  // namespace
}  // namespace hardhead::study
