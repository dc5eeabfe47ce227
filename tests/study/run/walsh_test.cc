// The learner `walsh`, judged as a run is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/run/run.h"

namespace hardhead::study {
namespace {

RunResult walsh(const std::string& source, const char* options = "walsh") {
  RunOptions request;
  request.method = Spec::parse(options);
  return run(open_problem(source, {}), request, {});
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
  EXPECT_THAT(walsh("nice:d=8,k=2,m=2").report.message, testing::HasSubstr("more than two values"));
}

TEST(Walsh, ScoresAPartOfTheTruthAsNoLayer) {
  const RunResult result = walsh("lwr:n=3");
  EXPECT_EQ(result.score.degree, Degree::nothing);
  EXPECT_FALSE(result.score.hidden_right);
}

}  // namespace
}  // namespace hardhead::study
