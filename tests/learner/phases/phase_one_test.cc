#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using ::testing::HasSubstr;
using testing::NiceSource;

TEST(PhaseOne, IsAllThereIsToLearnWhereAttentionIsUniform) {
  const NiceSource nice("nice:d=8,k=3,m=2,theta_norm=0");
  const Report report = learn(Spec::parse("phase1"), nice.source, {}, RunContext{});
  EXPECT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_LT((report.layer->w_sum() - nice.layer().w_sum()).norm(), 1e-10);
  EXPECT_EQ(report.layer->heads.front().theta.norm(), 0);
}

TEST(PhaseOne, ExplainsPartOfANiceLayerOnEveryInputDistribution) {
  for (const char* inputs : {"boolean", "gaussian", "sphere"}) {
    const NiceSource nice(std::string("nice:d=16,k=3,m=2,inputs=") + inputs);
    const Report report = learn(Spec::parse("phase1"), nice.source, {.examples = 5000}, RunContext{});
    EXPECT_EQ(report.ending, Ending::failed);
    EXPECT_EQ(report.failed_phase, "w_sum");
    EXPECT_THAT(report.message, HasSubstr("which phase 1 does not learn"));
    EXPECT_EQ(report.examples_used, 5000);
    const double fresh =
        relative_error(read_blocks(nice.source, 50'000'000, 2000, RunContext{}), report.layer.value());
    EXPECT_GT(fresh, 0.2) << inputs;
    EXPECT_LT(fresh, 0.8) << inputs;
  }
}

TEST(PhaseOne, SeesNothingOfParity) {
  const NiceSource hard("parity:d=12,m=3");
  const Report report = learn(Spec::parse("phase1"), hard.source, {.examples = 5000}, RunContext{});
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_THAT(report.message, HasSubstr("W_sum cannot be told from zero"));
}

TEST(PhaseOne, HasItsEstimatesInItsRecord) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const Report report = learn(Spec::parse("phase1"), nice.source, {.examples = 2000});
  const std::vector<Estimate>& estimates = report.phases.at(0).estimates;
  ASSERT_EQ(estimates.size(), 2);
  EXPECT_TRUE(std::get<WSumEstimate>(estimates[0]).value == report.layer->heads.front().w);
  EXPECT_TRUE(std::get<attention::Layer>(estimates[1]).heads.front().w == report.layer->heads.front().w);
}

}  // namespace
}  // namespace hardhead::learner
