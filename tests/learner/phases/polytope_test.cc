#include "learner/phases/polytope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "base/numeric/random.h"
#include "learner/recorder.h"
#include "tests/learner/nice_source.h"
#include "tests/learner/true_hull.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using attention::Vector;
using testing::NiceSource;
using testing::relative_distance;

Harvest certified(const NiceSource& nice, std::int64_t examples, std::int64_t keep) {
  return harvest({nice.source, 0, examples}, nice.layer().w_sum(), {.keep = keep}, RunContext{}, "hull");
}

HullEstimate hull_of(const Harvest& found, HullOptions options = {}) {
  return polytope_hull(found, options, RunContext{});
}

// Rows of k = 2 normal tokens on which two heads agree exactly: x_2 - x_1 is orthogonal to
// (Theta_1 - Theta_2)^T x_1.
Harvest exact_agreement(const Matrix& theta1, const Matrix& theta2, Index count) {
  const Index d = theta1.rows();
  const Stream stream(Domain::test, 1);
  Harvest out;
  out.patterns.resize(2, count);
  out.examples.resize(d, 2, count);
  for (Index e = 0; e < count; ++e) {
    Matrix tokens(d, 2);
    stream.normals(static_cast<std::uint64_t>(e), {tokens.data(), static_cast<std::size_t>(2 * d)});
    const Vector x = tokens.col(0), across = ((theta1 - theta2).transpose() * x).normalized();
    Vector edge = tokens.col(1) - x;
    edge -= across.dot(edge) * across;
    out.rows.push_back({0, e, 0});
    out.examples.x.col(e) = x;
    out.examples.x.col(count + e) = x + edge;
    const double ratio = std::exp(x.dot(theta1 * edge));  // p_2 / p_1
    out.patterns.col(e) << 1 / (1 + ratio), ratio / (1 + ratio);
  }
  return out;
}

TEST(Polytope, OfOneHeadIsThatHead) {
  const NiceSource nice("nice:d=8,k=3,m=1");
  const HullEstimate estimate = hull_of(certified(nice, 10'000, 200));
  EXPECT_EQ(estimate.hull.heads(), 1);
  EXPECT_GT(estimate.gap, 1e6);
  EXPECT_LT(relative_distance(estimate.hull, nice.layer()), 1e-7);
}

TEST(Polytope, HoldsAllHeadsAndTheLengthsNameTheirNumber) {
  for (const auto& [spec, examples, keep] : {std::tuple{"nice:d=12,k=2,m=2", 100'000, 300},
                                             {"nice:d=10,k=2,m=3", 300'000, 250},
                                             {"nice:d=10,k=3,m=2", 200'000, 150}}) {
    const NiceSource nice(spec);
    const HullEstimate estimate = hull_of(certified(nice, examples, keep));
    EXPECT_EQ(estimate.hull.heads(), nice.layer().m()) << spec;
    EXPECT_GT(estimate.gap, 5) << spec;
    EXPECT_LT(relative_distance(estimate.hull, nice.layer()), 0.05) << spec;
  }
}

TEST(Polytope, IsCutByTheBoundWhereRowsAgreeExactly) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const HullEstimate estimate =
      hull_of(exact_agreement(nice.layer().heads[0].theta, nice.layer().heads[1].theta, 200));
  EXPECT_EQ(estimate.hull.heads(), 2);
  EXPECT_NEAR(estimate.spectrum[1], 20 * estimate.spectrum[0], 1e-3);
  EXPECT_LT(estimate.spectrum[2], 1e-6);
  EXPECT_LT(relative_distance(estimate.hull, nice.layer()), 1e-6);
}

TEST(Polytope, OffsetIsOrthogonalToOrthonormalDirections) {
  const NiceSource nice("nice:d=8,k=2,m=3");
  const AffineHull hull = hull_of(certified(nice, 20'000, 150), {.heads = 4}).hull;
  ASSERT_EQ(hull.heads(), 4);
  for (std::size_t i = 0; i < hull.directions.size(); ++i) {
    EXPECT_NEAR(hull.directions[i].cwiseProduct(hull.offset).sum(), 0, 1e-10);
    for (std::size_t j = 0; j < hull.directions.size(); ++j)
      EXPECT_NEAR(hull.directions[i].cwiseProduct(hull.directions[j]).sum(), i == j ? 1 : 0, 1e-10);
  }
}

TEST(Polytope, IsTheSameTwice) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const Harvest found = certified(nice, 20'000, 150);
  const HullEstimate one = hull_of(found), two = hull_of(found);
  EXPECT_EQ(one.spectrum, two.spectrum);
  EXPECT_EQ(one.hull.offset, two.hull.offset);
}

TEST(Polytope, EndsAtOnceWhenStopped) {
  const NiceSource nice("nice:d=16,k=2,m=2");
  const Harvest found = certified(nice, 50'000, 2000);
  // Its first progress comes after some of its linear programmes, before the others.
  std::atomic<bool> stop = false;
  double last = 0;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_progress = [&](std::string_view, double done) {
    stop = true;
    last = done;
  };
  EXPECT_THROW(polytope_hull(found, {}, context), Stopped);
  EXPECT_GT(last, 0);
  EXPECT_LT(last, 0.5);
}

// Directions are sought from random ones, which belong to the seed; what they converge to is nearly the same.
TEST(Polytope, DrawsItsDirectionsFromTheSeed) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const Harvest found = certified(nice, 20'000, 150);
  const HullEstimate one = polytope_hull(found, {.heads = 2, .seed = 1}, RunContext{});
  const HullEstimate two = polytope_hull(found, {.heads = 2, .seed = 2}, RunContext{});
  EXPECT_NE(one.spectrum, two.spectrum);
  EXPECT_LT(relative_distance(one.hull, nice.layer()), 0.1);
  EXPECT_LT(relative_distance(two.hull, nice.layer()), 0.1);
}

TEST(Polytope, AnEmptyBodyStarves) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  try {
    polytope_hull(certified(nice, 20'000, 150), {.slack = 0.5}, RunContext{});
    FAIL();
  } catch (const InsufficientData& starved) {
    EXPECT_EQ(starved.message, "the linear programme of 150 rows and 64 columns is infeasible");
  }
}

}  // namespace
}  // namespace hardhead::learner
