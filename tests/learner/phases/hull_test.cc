#include "learner/phases/hull.h"

#include <gtest/gtest.h>

#include "tests/learner/nice_source.h"
#include "tests/learner/true_hull.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using testing::NiceSource;
using testing::relative_distance;

HullEstimate hull_of(const NiceSource& nice, std::int64_t examples, HullOptions options = {}) {
  const Harvest found =
      harvest({nice.source, 0, examples}, nice.layer().w_sum(), {.keep = 2000}, RunContext{}, "hull");
  return estimate_hull(found, options, RunContext{});
}

TEST(AffineHull, DistanceIsToTheNearestPoint) {
  Matrix offset = Matrix::Zero(2, 2), along = offset, query = offset;
  offset(0, 0) = 2;
  along(1, 1) = 1;
  query(0, 0) = 2;
  query(1, 1) = -7;
  query(0, 1) = 3;
  const AffineHull line{offset, {along}};
  EXPECT_DOUBLE_EQ(line.distance(query), 3);
  attention::Vector coordinate(1);
  coordinate << -7;
  EXPECT_EQ(line.distance(line.point(coordinate)), 0);
}

TEST(Hull, OfOneHeadIsThatHead) {
  const NiceSource nice("nice:d=8,k=3,m=1");
  const HullEstimate estimate = hull_of(nice, 10'000);
  EXPECT_EQ(estimate.hull.heads(), 1);
  EXPECT_LT(relative_distance(estimate.hull, nice.layer()), 1e-8);
}

TEST(Hull, HoldsAllHeadsAndTheGapNamesTheirNumber) {
  for (const auto& [spec, examples] :
       {std::pair{"nice:d=16,k=3,m=2", 200'000}, {"nice:d=16,k=2,m=3", 300'000}}) {
    const NiceSource nice(spec);
    const HullEstimate estimate = hull_of(nice, examples);
    EXPECT_EQ(estimate.hull.heads(), nice.layer().m()) << spec;
    EXPECT_GT(estimate.gap, 10) << spec;
    EXPECT_LT(relative_distance(estimate.hull, nice.layer()), 0.05) << spec;
  }
}

// From d = 64 on the second moment is not formed.
TEST(Hull, HoldsAllHeadsOfALargeLayer) {
  const NiceSource nice("nice:d=64,k=2,m=2");
  const Harvest found =
      harvest({nice.source, 0, 200'000}, nice.layer().w_sum(), {.keep = 12'000}, RunContext{}, "hull");
  const HullEstimate estimate = estimate_hull(found, {}, RunContext{});
  ASSERT_EQ(estimate.hull.heads(), 2);
  EXPECT_GT(estimate.gap, 10);
  EXPECT_LT(relative_distance(estimate.hull, nice.layer()), 0.1);
  const Matrix& direction = estimate.hull.directions.front();
  EXPECT_NEAR(direction.norm(), 1, 1e-10);
  EXPECT_NEAR(direction.cwiseProduct(estimate.hull.offset).sum(), 0, 1e-10);
}

TEST(Hull, OfOneHeadOfALargeLayerIsThatHead) {
  const NiceSource nice("nice:d=64,k=3,m=1");
  const Harvest found =
      harvest({nice.source, 0, 4000}, nice.layer().w_sum(), {.keep = 6000}, RunContext{}, "hull");
  const HullEstimate estimate = estimate_hull(found, {}, RunContext{});
  EXPECT_EQ(estimate.hull.heads(), 1);
  EXPECT_LT(relative_distance(estimate.hull, nice.layer()), 1e-8);
}

TEST(Hull, OffsetIsOrthogonalToOrthonormalDirections) {
  const NiceSource nice("nice:d=16,k=2,m=3");
  const AffineHull hull = hull_of(nice, 100'000).hull;
  for (std::size_t i = 0; i < hull.directions.size(); ++i) {
    EXPECT_NEAR(hull.directions[i].cwiseProduct(hull.offset).sum(), 0, 1e-10);
    for (std::size_t j = 0; j < hull.directions.size(); ++j)
      EXPECT_NEAR(hull.directions[i].cwiseProduct(hull.directions[j]).sum(), i == j ? 1 : 0, 1e-10);
  }
}

TEST(Hull, TakesTheStatedNumberOfHeads) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  EXPECT_EQ(hull_of(nice, 20'000, {.heads = 4}).hull.heads(), 4);
}

TEST(Hull, EqualHeadsAreOne) {
  NiceSource nice("nice:d=8,k=3,m=1");
  attention::Layer twice = nice.layer();
  twice.heads.push_back(twice.heads[0]);
  const attention::SimulatedSource source(std::make_shared<attention::LayerTeacher>(twice), 8, 3,
                                          attention::Inputs::boolean, Stream(Domain::samples, 1));
  const Harvest found = harvest({source, 0, 10'000}, twice.w_sum(), {.keep = 1000}, RunContext{}, "hull");
  EXPECT_EQ(estimate_hull(found, {}, RunContext{}).hull.heads(), 1);
}

// The last column of every Theta changes no pattern, so that no equation has it.
TEST(Hull, LeavesOutWhatAConstantFeatureLeavesFree) {
  const NiceSource nice("nice:d=13,k=3,m=2,inputs=gaussian+1");
  const HullEstimate estimate = hull_of(nice, 200'000);
  EXPECT_EQ(estimate.hull.heads(), 2);
  EXPECT_GT(estimate.gap, 10);
  EXPECT_LT(estimate.hull.offset.col(12).norm(), 1e-10);
  EXPECT_LT(estimate.hull.directions[0].col(12).norm(), 1e-10);
  attention::Layer seen = nice.layer();
  for (attention::Head& head : seen.heads) head.theta.col(12).setZero();
  EXPECT_LT(relative_distance(estimate.hull, seen), 0.05);
}

}  // namespace
}  // namespace hardhead::learner
