#include "hardness/families/portable_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hardhead::hardness {
namespace {

const Stream stream(Domain::test, 1, "portable matrix");

TEST(PortableMatrix, ProductsSumsAndNormsAreTheUsualOnes) {
  const Matrix x = gaussian_matrix(stream, 0, 5, 3), y = gaussian_matrix(stream, 1, 3, 7);
  EXPECT_LE((product(x, y) - x * y).norm(), 1e-14);
  EXPECT_NEAR(inner_product(x, x), x.squaredNorm(), 1e-13);
  EXPECT_LE((combination(2, x, -0.5, x) - 1.5 * x).norm(), 1e-14);
  EXPECT_LE((scaled(3, x) - 3 * x).norm(), 1e-14);
  EXPECT_NEAR(of_norm(x, 2.5).norm(), 2.5, 1e-15 * 5);
}

TEST(PortableMatrix, NormZeroIsZerosWithoutSigns) {
  const Matrix zero = of_norm(gaussian_matrix(stream, 2, 4, 4), 0);
  for (Index a = 0; a < 4; ++a)
    for (Index b = 0; b < 4; ++b) {
      EXPECT_EQ(zero(a, b), 0);
      EXPECT_FALSE(std::signbit(zero(a, b)));
    }
}

TEST(PortableMatrix, EntriesComeRowByRowFromTheItem) {
  std::vector<double> numbers(6);
  stream.normals(3, numbers);
  const Matrix normals = gaussian_matrix(stream, 3, 2, 3);
  EXPECT_EQ(normals(0, 1), numbers[1]);
  EXPECT_EQ(normals(1, 0), numbers[3]);
  stream.uniforms(3, numbers);
  EXPECT_EQ(uniform_matrix(stream, 3, 2, 3, 0.5)(1, 2), numbers[5] - 0.5);
}

TEST(PortableMatrix, UniformsFillTheirInterval) {
  const Matrix u = uniform_matrix(stream, 4, 200, 200, 3);
  EXPECT_LE(u.cwiseAbs().maxCoeff(), 3);
  EXPECT_GT(u.maxCoeff(), 2.99);
  EXPECT_LT(u.minCoeff(), -2.99);
  EXPECT_NEAR(u.squaredNorm() / 40000, 3, 0.1);
}

}  // namespace
}  // namespace hardhead::hardness
