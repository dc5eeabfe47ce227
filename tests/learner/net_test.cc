#include "learner/net.h"

#include <gtest/gtest.h>

#include "learner/blocks.h"
#include "learner/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Matrix;
using attention::Vector;
using testing::NiceSource;

// The true hull of three heads, by Gram-Schmidt.
AffineHull true_hull(const attention::Layer& layer) {
  AffineHull hull;
  for (std::size_t i = 1; i < layer.heads.size(); ++i) {
    Matrix direction = layer.heads[i].theta - layer.heads[0].theta;
    for (const Matrix& other : hull.directions) direction -= other.cwiseProduct(direction).sum() * other;
    hull.directions.push_back(direction / direction.norm());
  }
  hull.offset = layer.heads[0].theta;
  for (const Matrix& direction : hull.directions)
    hull.offset -= direction.cwiseProduct(hull.offset).sum() * direction;
  return hull;
}

TEST(Net, FindsTheHeadsInTheTrueHull) {
  for (const char* spec : {"nice:d=16,k=3,m=1", "nice:d=16,k=3,m=2", "nice:d=16,k=2,m=3"}) {
    const NiceSource nice(spec);
    const auto blocks = read_blocks(nice.source, 0, 512, RunControl{});
    const AffineHull hull = true_hull(nice.layer());
    const NetResult found = search_net(blocks, hull, nice.layer().m(), net_radius(hull, 2), {.points = 300},
                                       Stream(Domain::learner, 1), RunControl{});
    EXPECT_LT(found.error, 1e-4) << spec;
    EXPECT_LE(found.error, found.net_error) << spec;
    EXPECT_LT(relative_error(read_blocks(nice.source, 10'000, 512, RunControl{}), found.layer), 2e-4) << spec;
    EXPECT_EQ(found.layer.m(), nice.layer().m());
    EXPECT_LE(found.points, 300);
  }
}

}  // namespace
}  // namespace hardhead::learner
