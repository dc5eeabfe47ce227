#include "learner/mobius/directions.h"

#include <gtest/gtest.h>

#include "base/numeric/decompositions.h"

namespace hardhead::learner::mobius {
namespace {

Matrix normals(Index rows, Index columns, std::uint64_t seed) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  Stream(Domain::learner, seed, "directions test").normals(0, numbers);
  return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}

// Rows that vary in three directions, one of them a millionth of the first, about a mean.
Matrix three_directions(Index rows, Index columns) {
  const Vector sizes{{1, 1e-2, 1e-6}};
  Matrix out = normals(rows, 3, 1) * sizes.asDiagonal() * normals(3, columns, 2);
  out.rowwise() += normals(1, columns, 3).row(0);
  return out;
}

// The cosines of the principal angles of two spaces differ from 1 by no more than this.
double away(const Matrix& a, const Matrix& b) {
  return 1 - singular_values(a.transpose() * b, SingularVectors::none).values.minCoeff();
}

TEST(Directions, OfALargeMatrixAreThoseOfItsSingularValueDecomposition) {
  const Matrix v = three_directions(300, 120);
  const Directions found = directions_of(v, {}, 0, {});
  ASSERT_EQ(found.shown, 3);
  ASSERT_EQ(found.basis.cols(), 3);
  const Matrix centred = v.rowwise() - v.colwise().mean();
  const SingularValues svd = singular_values(centred, SingularVectors::right);
  EXPECT_LE(away(found.basis, svd.v.leftCols(3)), 1e-12);
  EXPECT_LE((found.basis.transpose() * found.basis - Matrix::Identity(3, 3)).norm(), 1e-13);
  for (Index i = 0; i < 3; ++i)
    EXPECT_NEAR(found.deviations(i) * std::sqrt(300.), svd.values(i),
                1e-8 * svd.values(i) + 1e-14 * svd.values(0));
  EXPECT_LE((found.of(v) * found.basis.transpose() - centred).norm(), 1e-13 * centred.norm());
}

TEST(Directions, NoiseShowsNone) {
  constexpr double noise = 1e-5;
  const Matrix v = three_directions(300, 120) + noise * normals(300, 120, 4).cwiseMax(-1).cwiseMin(1);
  EXPECT_EQ(directions_of(v, {}, noise, {}).shown, 2);
  EXPECT_EQ(directions_of(v, {}, 0, {}).shown, 120) << "each is a direction where answers are exact";
}

TEST(Directions, StatedOnesAreTheLargest) {
  const Matrix v = three_directions(300, 120);
  const Directions two = directions_of(v, 2, 0, {}), all = directions_of(v, {}, 0, {});
  EXPECT_EQ(two.basis.cols(), 2);
  EXPECT_EQ(two.shown, 3);
  EXPECT_LE(away(two.basis, all.basis.leftCols(2)), 1e-12);
}

}  // namespace
}  // namespace hardhead::learner::mobius
