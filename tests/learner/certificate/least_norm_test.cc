#include "learner/certificate/least_norm.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using attention::Vector;

// The hull of the columns of a matrix, as an oracle.
struct Hull {
  Matrix vertices;
  Vector operator()(const Vector& x) const {
    Index best = 0;
    (vertices.transpose() * x).minCoeff(&best);
    return vertices.col(best);
  }
};

TEST(LeastNorm, OfASegmentIsTheFootOfThePerpendicular) {
  const Hull segment{(Matrix(2, 2) << -1, 2, 3, 3).finished()};  // (-1, 3) to (2, 3)
  const LeastNormPoint found = least_norm_point({segment.vertices.col(1)}, segment, 1e-12, 10);
  EXPECT_NEAR(found.point(0), 0, 1e-12);
  EXPECT_NEAR(found.point(1), 3, 1e-12);
  EXPECT_EQ(found.queries, 2);
}

TEST(LeastNorm, CanBeAVertex) {
  const Hull triangle{(Matrix(2, 3) << 1, 2, 3, 1, 5, 2).finished()};
  const LeastNormPoint found = least_norm_point({triangle.vertices.col(1)}, triangle, 1e-12, 10);
  EXPECT_EQ(found.point, triangle.vertices.col(0));
}

TEST(LeastNorm, IsOptimalOverARandomPolytope) {
  constexpr Index size = 30, count = 200;
  Hull hull{Matrix::NullaryExpr(size, count, [](Index i, Index j) {
    return std::sin(static_cast<double>(i * i * 7 + j * j * i + j));
  })};
  hull.vertices.row(0).array() += 3;
  const LeastNormPoint found = least_norm_point({hull.vertices.col(0)}, hull, 1e-10, 1000);
  EXPECT_LE(found.gap, 1e-10);
  EXPECT_GE((hull.vertices.transpose() * found.point).minCoeff(),
            found.point.squaredNorm() * (1 - 1e-10));  // all of the hull is on the far side
}

TEST(LeastNorm, KnownPointsSaveQueries) {
  const Hull segment{(Matrix(2, 2) << -1, 2, 3, 3).finished()};
  EXPECT_EQ(least_norm_point({segment.vertices.col(0), segment.vertices.col(1)}, segment, 1e-12, 10).queries,
            1);
}

TEST(LeastNorm, OfABodyThatHoldsTheOriginIsTheOrigin) {
  const Hull square{(Matrix(2, 4) << 1, 1, -1, -1, 1, -1, 1, -1).finished()};
  EXPECT_LT(least_norm_point({square.vertices.col(0)}, square, 1e-6, 10).point.norm(), 1e-10);
}

}  // namespace
}  // namespace hardhead::learner
