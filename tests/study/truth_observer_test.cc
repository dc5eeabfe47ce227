#include "study/truth_observer.h"

#include <gtest/gtest.h>

#include <map>

#include "hardness/family.h"

namespace hardhead::study {
namespace {

using attention::Matrix;

struct TruthObserverTest : testing::Test {
  hardness::Instance instance = hardness::make_instance(Spec::parse("nice:d=6,k=2,m=2"));
  attention::SimulatedSource test{instance.teacher, 6, 2, instance.inputs, Stream(Domain::test, 1)};
  TruthObserver observer;
  learner::Report report;

  std::map<std::string, double> joined(const attention::Layer* truth) {
    report.phases.resize(1);
    observer.join(truth, test, 500, report);
    return {report.phases[0].measures.begin(), report.phases[0].measures.end()};
  }
};

TEST_F(TruthObserverTest, MeasuresWSum) {
  observer.w_sum(0, instance.layer.w_sum() * 1.5);
  EXPECT_NEAR(joined(&instance.layer)["w_sum_error"], 0.5, 1e-14);
}

TEST_F(TruthObserverTest, TheTrueHullIsAtDistanceZeroAndAPointIsNot) {
  const Matrix difference = instance.layer.heads[1].theta - instance.layer.heads[0].theta;
  learner::AffineHull hull;
  hull.directions = {difference / difference.norm()};
  const double along = hull.directions[0].cwiseProduct(instance.layer.heads[0].theta).sum();
  hull.offset = instance.layer.heads[0].theta - along * hull.directions[0];
  observer.hull(0, hull);
  EXPECT_LE(joined(&instance.layer)["hull_distance"], 1e-14);

  observer = {}, report = {};
  observer.hull(0, {instance.layer.heads[0].theta, {}});
  const auto measures = joined(&instance.layer);
  EXPECT_NEAR(measures.at("hull_distance"), difference.norm() / instance.layer.heads[1].theta.norm(), 1e-14);
}

TEST_F(TruthObserverTest, MeasuresALayerWithTheTruthAndWithout) {
  attention::Layer estimate = instance.layer;
  for (attention::Head& head : estimate.heads) head.w *= 2;
  observer.layer(0, estimate);
  const auto known = joined(&instance.layer);
  EXPECT_NEAR(known.at("test_error"), 1, 1e-13);
  EXPECT_NEAR(known.at("w_error"), 1, 1e-14);
  EXPECT_EQ(known.at("theta_error"), 0);

  report = {};
  const auto unknown = joined(nullptr);
  EXPECT_EQ(unknown.size(), 1u);
  EXPECT_NEAR(unknown.at("test_error"), 1, 1e-13);
}

TEST_F(TruthObserverTest, AWSumOfZeroHasNoRelativeError) {
  // Exactly 0 in rationals; the second as doubles up to rounding only.
  for (const char* spec : {"parity:d=6,m=2", "lwr:n=3,q=8,p=2"}) {
    const hardness::Instance hard = hardness::make_instance(Spec::parse(spec));
    observer.w_sum(0, Matrix::Zero(hard.layer.d, hard.layer.d));
    EXPECT_EQ(joined(&hard.layer).count("w_sum_error"), 0u) << spec;
  }
}

}  // namespace
}  // namespace hardhead::study
