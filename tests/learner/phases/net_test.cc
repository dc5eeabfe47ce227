#include "learner/phases/net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"
#include "tests/learner/true_hull.h"

namespace hardhead::learner {
namespace {

using attention::Vector;
using testing::NiceSource;
using testing::true_hull;

TEST(NetPoints, AreTheGridPointsOfTheBall) {
  EXPECT_EQ(net_points(0, 3, 100).size(), 1);
  const auto line = net_points(1, 3, 1000);
  EXPECT_EQ(line.size(), 61);
  EXPECT_DOUBLE_EQ(line.front()(0), -3);
  EXPECT_DOUBLE_EQ(line[31](0) - line[30](0), 0.1);
  // Integer points with x^2 + y^2 <= 16: 49 (sequence A000328); radius 5 has 81.
  EXPECT_EQ(net_points(2, 1, 80).size(), 49);
  EXPECT_EQ(net_points(2, 1, 81).size(), 81);
  for (const Vector& point : net_points(3, 2.5, 500)) EXPECT_LE(point.norm(), 2.5 * (1 + 1e-12));
}

TEST(NetPoints, StayWithinTheirNumberInManyDimensions) {
  EXPECT_EQ(net_points(63, 1, 100).size(), 1);
  EXPECT_EQ(net_points(63, 1, 200).size(), 1 + 2 * 63);
}

TEST(Net, FindsTheHeadsInTheTrueHullAndInTheirSpan) {
  for (const char* spec : {"nice:d=16,k=3,m=1", "nice:d=16,k=3,m=2", "nice:d=16,k=2,m=3"}) {
    const NiceSource nice(spec);
    const auto blocks = read_blocks(nice.source, 0, 512, RunContext{});
    const auto fresh = read_blocks(nice.source, 10'000, 512, RunContext{});
    const AffineHull hull = true_hull(nice.layer());
    const Stream stream(Domain::learner, 1);
    for (const AffineHull& flat : {hull, linear_span(hull)}) {
      const double radius =
          hull.offset.norm() * std::sqrt(4 * static_cast<double>(hull.directions.size()) + 1);
      const NetResult found =
          search_net(blocks, {flat, radius, nice.layer().m()}, {.points = 300}, stream, RunContext{});
      EXPECT_EQ(found.layer.m(), nice.layer().m());
      EXPECT_LE(found.points, 300);
      EXPECT_LE(found.error, found.net_error) << spec;
      EXPECT_LT(found.error, 1e-10) << "variable projection ends at the heads themselves, " << spec;
      EXPECT_LT(relative_error(fresh, found.layer), 1e-10) << spec;
    }
  }
}

}  // namespace
}  // namespace hardhead::learner
