#include "attention/forward/matrix_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/numeric/random.h"
#include "tests/simd_targets.h"

namespace hardhead::attention {
namespace {

using Index = Eigen::Index;
template <class Scalar>
using ByRows = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Scalar>
using ByColumns = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

template <class Scalar>
ByRows<Scalar> normals(Index rows, Index columns, std::uint64_t seed) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  Stream(Domain::instance, seed, "matrix product").normals(0, numbers);
  return Eigen::Map<ByRows<double>>(numbers.data(), rows, columns).cast<Scalar>();
}

// By the definition: a chain of fused products and sums, which begins with `out`.
template <class Scalar>
ByRows<Scalar> chains(ByRows<Scalar> out, const ByRows<Scalar>& a, const ByRows<Scalar>& b) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.cols(); ++j)
      for (Index l = 0; l < a.cols(); ++l) out(i, j) = std::fma(a(i, l), b(l, j), out(i, j));
  return out;
}

// Whether the program's own products are fused, so that those of the target `baseline` are.
bool fused([[maybe_unused]] SimdTarget target) {
#ifdef __FMA__
  return true;
#else
  return target != SimdTarget::baseline;
#endif
}

// The expected bits, or about them where Eigen multiplies.
template <class Scalar>
void expect_product(const ByRows<Scalar>& found, const ByRows<Scalar>& expected, Index depth,
                    SimdTarget target) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  if (fused(target)) {
    EXPECT_TRUE(found == expected);
  } else {
    const auto most = static_cast<Scalar>(depth + 1) * 40 * std::numeric_limits<Scalar>::epsilon();
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), most);
  }
}

template <class Scalar>
void expect_all_layouts(Index rows, Index depth, Index columns) {
  SCOPED_TRACE(testing::Message() << rows << " x " << depth << " x " << columns);
  const ByRows<Scalar> a = normals<Scalar>(rows, depth, 1), b = normals<Scalar>(depth, columns, 2),
                       held = normals<Scalar>(rows, columns, 3), zero = ByRows<Scalar>::Zero(rows, columns),
                       expected = chains(zero, a, b), added = chains(held, a, b);
  const ByColumns<Scalar> a_by_columns = a, b_by_columns = b;
  const ByRows<Scalar> a_turned = a.transpose(), b_turned = b.transpose();
  on_each_simd_target([&](SimdTarget target) {
    ByRows<Scalar> out;
    set_product(out, a, b);
    expect_product(out, expected, depth, target);
    set_product(out, a_by_columns, b);
    expect_product(out, expected, depth, target);
    set_product(out, a, b_by_columns);
    expect_product(out, expected, depth, target);
    set_product(out, a_turned.transpose(), b_turned.transpose());
    expect_product(out, expected, depth, target);
    ByColumns<Scalar> by_columns = held;
    add_product(by_columns, a, b_turned.transpose());
    expect_product<Scalar>(by_columns, added, depth, target);
    // A block of a larger matrix, whose other entries stay.
    ByRows<Scalar> larger = ByRows<Scalar>::Constant(rows + 2, columns + 3, 7);
    larger.block(1, 2, rows, columns) = held;
    add_product(larger.block(1, 2, rows, columns), a, b);
    expect_product<Scalar>(larger.block(1, 2, rows, columns), added, depth, target);
    larger.block(1, 2, rows, columns).setConstant(7);
    EXPECT_TRUE((larger.array() == 7).all());
  });
}

TEST(MatrixProduct, EntriesAreChainsOfFusedSumsOnEveryTarget) {
  for (const Index rows : {1, 2, 3, 7, 8, 9, 13})
    for (const Index columns : {1, 3, 4, 8, 15, 16, 17, 24, 31, 48, 53}) {
      expect_all_layouts<double>(rows, 5, columns);
      expect_all_layouts<float>(rows, 6, columns);
    }
}

TEST(MatrixProduct, DepthsAndRowsBeyondAPanel) {
  for (const Index depth : {0, 1, 2, 3, 127, 128, 129, 300, 515}) {
    expect_all_layouts<double>(9, depth, 26);
    expect_all_layouts<float>(9, depth, 50);
  }
  expect_all_layouts<double>(530, 130, 110);
  expect_all_layouts<float>(1030, 130, 200);
}

TEST(MatrixProduct, EmptyMatrices) {
  expect_all_layouts<double>(0, 4, 5);
  expect_all_layouts<double>(3, 4, 0);
}

TEST(MatrixProduct, NumbersThatAreNotFiniteStayInTheirRowsAndColumns) {
  ByRows<double> a = normals<double>(10, 20, 1), b = normals<double>(20, 30, 2);
  a(3, 7) = std::numeric_limits<double>::quiet_NaN();
  b(5, 29) = std::numeric_limits<double>::infinity();
  on_each_simd_target([&](SimdTarget) {
    ByRows<double> out;
    set_product(out, a, b);
    for (Index i = 0; i < out.rows(); ++i)
      for (Index j = 0; j < out.cols(); ++j) EXPECT_EQ(std::isfinite(out(i, j)), i != 3 && j != 29);
  });
}

}  // namespace
}  // namespace hardhead::attention
