#include "learner/phase_one.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learner/blocks.h"
#include "learner/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using ::testing::HasSubstr;
using testing::NiceSource;

TEST(PhaseOne, IsAllThereIsToLearnWhereAttentionIsUniform) {
  const NiceSource nice("nice:d=8,k=3,m=2,theta_norm=0");
  const Report report = learn(Spec::parse("phase1"), nice.source, {}, RunControl{}, nullptr);
  EXPECT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_LT((report.layer->w_sum() - nice.layer().w_sum()).norm(), 1e-10);
  EXPECT_EQ(report.layer->heads.front().theta.norm(), 0);
}

TEST(PhaseOne, ExplainsPartOfANiceLayerOnEveryInputDistribution) {
  for (const char* inputs : {"boolean", "gaussian", "sphere"}) {
    const NiceSource nice(std::string("nice:d=16,k=3,m=2,inputs=") + inputs);
    const Report report =
        learn(Spec::parse("phase1"), nice.source, {.examples = 5000}, RunControl{}, nullptr);
    EXPECT_EQ(report.ending, Ending::failed);
    EXPECT_EQ(report.failed_phase, "w_sum");
    EXPECT_THAT(report.message, HasSubstr("which phase 1 does not learn"));
    EXPECT_EQ(report.examples_used, 5000);
    const double fresh =
        relative_error(read_blocks(nice.source, 50'000'000, 2000, RunControl{}), report.layer.value());
    EXPECT_GT(fresh, 0.2) << inputs;
    EXPECT_LT(fresh, 0.8) << inputs;
  }
}

TEST(PhaseOne, SeesNothingOfParity) {
  const NiceSource hard("parity:d=12,m=3");
  const Report report = learn(Spec::parse("phase1"), hard.source, {.examples = 5000}, RunControl{}, nullptr);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_THAT(report.message, HasSubstr("W_sum cannot be told from zero"));
}

TEST(PhaseOne, ShowsItsEstimateToTheObserver) {
  struct Watch final : Observer {
    void w_sum(std::size_t phase, const attention::Matrix& estimate) override { at = phase, seen = estimate; }
    void hull(std::size_t, const AffineHull&) override {}
    void layer(std::size_t, const attention::Layer&) override { ++layers; }
    std::size_t at = 99;
    attention::Matrix seen;
    int layers = 0;
  } watch;
  const NiceSource nice("nice:d=8,k=3,m=2");
  const Report report = learn(Spec::parse("phase1"), nice.source, {.examples = 2000}, RunControl{}, &watch);
  EXPECT_EQ(watch.at, 0);
  EXPECT_TRUE(watch.seen == report.layer->heads.front().w);
  EXPECT_EQ(watch.layers, 1);
}

}  // namespace
}  // namespace hardhead::learner
