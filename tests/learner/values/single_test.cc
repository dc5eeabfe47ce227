#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/learner/layer_error.h"

namespace hardhead::learner {
namespace {

Report learn(const std::string& learner, const hardness::Instance& instance, OracleOptions options = {}) {
  ValueOracle oracle(instance.teacher, instance.layer.d, std::move(options));
  return learn(Spec::parse(learner), oracle, {});
}

double parameter_error(const Report& report, const hardness::Instance& instance) {
  const attention::Head &found = report.layer->heads[0], &truth = instance.layer.heads[0];
  return std::max((found.theta - truth.theta).norm() / truth.theta.norm(),
                  (found.w - truth.w).norm() / truth.w.norm());
}

TEST(Single, ReadsOneHeadWithDSquaredPlusDQueries) {
  for (const Index d : {8, 16, 32, 64}) {
    const hardness::Instance instance = instance_of(fmt::format("nice:m=1,d={}", d));
    const Report report = learn("single", instance);
    ASSERT_EQ(report.ending, Ending::finished) << report.message;
    EXPECT_EQ(report.queries_used, d * d + d);
    EXPECT_EQ(report.tokens_used, 2 * d * d + d);
    EXPECT_LE(parameter_error(report, instance), 1e-12);
  }
}

TEST(Single, ReadsALowRankHeadWithFewer) {
  const hardness::Instance instance = instance_of("low-rank:m=1,d=64,rank=2");
  const Report report = learn("single:rank=2", instance);
  ASSERT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_EQ(report.queries_used, 64 + 2 * 2 * 64);
  EXPECT_LE(report.queries_used, 8 * 2 * 64);
  EXPECT_LE(parameter_error(report, instance), 1e-10);
}

TEST(Single, ErrorIsInProportionToTheTolerance) {
  const hardness::Instance instance = instance_of("nice:m=1,d=16");
  for (const double tau : {1e-12, 1e-9, 1e-6})
    EXPECT_LE(parameter_error(learn("single:theta_bound=1", instance, {.tolerance = {tau}}), instance),
              1000 * tau);
}

TEST(Single, ALayerOfAnotherKindFailsInTheCheck) {
  const Report two = learn("single", instance_of("nice:m=2,d=8"));
  EXPECT_EQ(two.ending, Ending::failed);
  EXPECT_FALSE(two.layer);
  const Report rank = learn("single:rank=2", instance_of("low-rank:m=1,d=16,rank=3"));
  EXPECT_EQ(rank.ending, Ending::failed);
  EXPECT_EQ(rank.failed_phase, "check");
}

TEST(Single, NeedsRealTokensOfTwoLengths) {
  const hardness::Instance parity = instance_of("parity:d=6,m=2"), nice = instance_of("nice:m=1,d=6");
  EXPECT_THROW(learn("single", parity), InputError);
  EXPECT_THROW(learn("single", nice, {.tokens = 2}), InputError);
}

// The last feature is 1 in every X that is asked, and what it leaves free is 0.
TEST(Single, ReadsAHeadWithBiases) {
  hardness::Instance instance = instance_of("nice:m=1,d=9,inputs=gaussian+1");
  attention::Head truth = instance.layer.heads[0];
  truth.theta.rightCols(1).setZero();
  const Report report = learn("single", instance, {.last = attention::LastFeature::is_one});
  ASSERT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_EQ(report.queries_used, 9 * 8 + 9);
  EXPECT_LE((report.layer->heads[0].theta - truth.theta).norm(), 1e-12);
  EXPECT_LE((report.layer->heads[0].w - truth.w).norm(), 1e-12);
  EXPECT_THROW(learn("single:rank=2", instance, {.last = attention::LastFeature::is_one}), InputError);
  EXPECT_THROW(learn("rational", instance, {.last = attention::LastFeature::is_one}), InputError);
}

}  // namespace
}  // namespace hardhead::learner
