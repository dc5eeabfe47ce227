#include "study/run/phase_measures.h"

#include <gtest/gtest.h>

#include <map>

#include "hardness/families/family.h"

namespace hardhead::study {
namespace {

using attention::Matrix;

struct PhaseMeasures : testing::Test {
  hardness::Instance instance = hardness::make_instance(Spec::parse("nice:d=6,k=2,m=2"));
  attention::SimulatedSource test{instance.teacher, 6, 2, instance.inputs, Stream(Domain::test, 1)};

  std::map<std::string, double> measured(const learner::Estimate& estimate, const attention::Layer* truth) {
    std::vector<learner::Phase> phases(1);
    phases[0].estimates = {estimate};
    measure_phases({truth, test, 500}, phases);
    EXPECT_TRUE(phases[0].estimates.empty());
    return {phases[0].measures.begin(), phases[0].measures.end()};
  }
};

TEST_F(PhaseMeasures, MeasuresWSum) {
  const learner::WSumEstimate estimate{instance.layer.w_sum() * 1.5};
  EXPECT_NEAR(measured(estimate, &instance.layer)["w_sum_error"], 0.5, 1e-14);
  EXPECT_TRUE(measured(estimate, nullptr).empty());
}

TEST_F(PhaseMeasures, TheTrueHullIsAtDistanceZeroAndAPointIsNot) {
  const Matrix difference = instance.layer.heads[1].theta - instance.layer.heads[0].theta;
  learner::AffineHull hull;
  hull.directions = {difference / difference.norm()};
  const double along = hull.directions[0].cwiseProduct(instance.layer.heads[0].theta).sum();
  hull.offset = instance.layer.heads[0].theta - along * hull.directions[0];
  EXPECT_LE(measured(hull, &instance.layer)["hull_distance"], 1e-14);

  const auto measures = measured(learner::AffineHull{instance.layer.heads[0].theta, {}}, &instance.layer);
  EXPECT_NEAR(measures.at("hull_distance"), difference.norm() / instance.layer.heads[1].theta.norm(), 1e-14);
}

TEST_F(PhaseMeasures, MeasuresALayerWithTheTruthAndWithout) {
  attention::Layer estimate = instance.layer;
  for (attention::Head& head : estimate.heads) head.w *= 2;
  const auto known = measured(estimate, &instance.layer);
  EXPECT_NEAR(known.at("test_error"), 1, 1e-13);
  EXPECT_NEAR(known.at("w_error"), 1, 1e-14);
  EXPECT_EQ(known.at("theta_error"), 0);

  const auto unknown = measured(estimate, nullptr);
  EXPECT_EQ(unknown.size(), 1u);
  EXPECT_NEAR(unknown.at("test_error"), 1, 1e-13);
}

TEST_F(PhaseMeasures, AWSumOfZeroHasNoRelativeError) {
  // Exactly 0 in rationals; the second as doubles up to rounding only.
  for (const char* spec : {"parity:d=6,m=2", "lwr:n=3,q=8,p=2"}) {
    const hardness::Instance hard = hardness::make_instance(Spec::parse(spec));
    const learner::WSumEstimate zero{Matrix::Zero(hard.layer.d, hard.layer.d)};
    EXPECT_EQ(measured(zero, &hard.layer).count("w_sum_error"), 0u) << spec;
  }
}

}  // namespace
}  // namespace hardhead::study
