#include "learner/phases/w_sum.h"

#include <gtest/gtest.h>

#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using testing::NiceSource;

double relative(const attention::Matrix& estimate, const attention::Matrix& truth) {
  return (estimate - truth).norm() / truth.norm();
}

TEST(WSum, IsExactWhenAttentionIsUniform) {
  const NiceSource nice("nice:d=8,k=3,m=2,theta_norm=0");
  const CrudeWSum crude = estimate_w_sum(nice.source, 500, RunContext{});
  EXPECT_LT(relative(crude.estimate, nice.layer().w_sum()), 1e-12);
  EXPECT_NEAR(crude.explained, 1, 1e-12);
  EXPECT_FALSE(crude.indistinguishable_from_zero());
}

TEST(WSum, IsCrudeButNotWrongOnEveryInputDistribution) {
  for (const char* inputs : {"boolean", "gaussian", "sphere"}) {
    const NiceSource nice(std::string("nice:d=16,k=3,m=2,inputs=") + inputs);
    const CrudeWSum crude = estimate_w_sum(nice.source, 20'000, RunContext{});
    const double error = relative(crude.estimate, nice.layer().w_sum());
    EXPECT_GT(error, 0.01) << inputs;
    EXPECT_LT(error, 0.4) << inputs;
  }
}

TEST(WSum, OfParityCannotBeToldFromZero) {
  for (const char* variant : {"exact", "minimal"}) {
    const NiceSource hard(std::string("parity:d=12,m=3,variant=") + variant);
    EXPECT_TRUE(estimate_w_sum(hard.source, 5000, RunContext{}).indistinguishable_from_zero()) << variant;
  }
}

}  // namespace
}  // namespace hardhead::learner
