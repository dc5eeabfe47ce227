#include "learner/fits/head_strengths.h"
#include "base/numeric/decompositions.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>

#include "learner/learner.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using attention::Vector;
using testing::NiceSource;

const Stream strengths_stream(Domain::test, 1, "head strengths");

// A map by its d^2 x d^2 matrix.
struct DenseMap final : MatrixMap {
  explicit DenseMap(Matrix entries, Index features) : matrix(std::move(entries)), d(features) {}
  Matrix image(const Matrix& matrices) const override { return as_stack(matrix * as_columns(matrices), d); }
  Matrix adjoint(const Matrix& matrices) const override {
    return as_stack(matrix.transpose() * as_columns(matrices), d);
  }
  Matrix matrix;
  Index d;
};

Matrix gaussian(Index size, std::uint64_t item) {
  std::vector<double> numbers(static_cast<std::size_t>(size * size));
  Stream(Domain::test, 2, "head strengths").normals(item, numbers);
  return Eigen::Map<const Matrix>(numbers.data(), size, size);
}

TEST(HeadStrengths, AreTheLargestSingularValuesOfTheirMap) {
  constexpr Index d = 5;
  Vector values = Vector::LinSpaced(d * d, 1, 0.1);
  values.head(2) = Vector{{6, 5}};
  const Matrix left = orthonormal(gaussian(d * d, 1)), right = orthonormal(gaussian(d * d, 2));
  const DenseMap map(left * values.asDiagonal() * right.transpose(), d);
  // As many as there are: subspace iteration is then exact.
  EXPECT_LT((leading_heads(map, d, d * d, strengths_stream).strengths - values).norm(), 1e-10);
  const LeadingHeads four = leading_heads(map, d, 4, strengths_stream);
  EXPECT_LT((four.strengths.head(2) - values.head(2)).norm(), 0.03 * values(0));
  const Matrix forms = as_columns(four.forms);
  EXPECT_LT((forms.transpose() * forms - Matrix::Identity(4, 4)).norm(), 1e-10);
  EXPECT_GT((right.leftCols(2).transpose() * forms.leftCols(2)).norm(), 0.99 * std::sqrt(2.0));
}

TEST(HeadStrengths, StandOutOfTheNoiseAsOftenAsThereAreHeads) {
  for (const auto& [d, k, m] : {std::array{16, 3, 1}, {16, 3, 2}, {16, 3, 4}, {16, 2, 4}, {32, 3, 3}})
    for (int seed = 1; seed <= 3; ++seed) {
      const NiceSource nice("nice:d=" + std::to_string(d) + ",k=" + std::to_string(k) +
                            ",m=" + std::to_string(m) + ",seed=" + std::to_string(seed));
      const auto examples = std::max<std::int64_t>(1000, 8 * pattern_bound(d, k));
      const RunContext context;
      const FirstOrder map({nice.source, 0, examples}, 10, leading_heads_products, context);
      EXPECT_EQ(outstanding_heads(leading_heads(map, d, 10, strengths_stream).strengths), m)
          << d << " " << k << " " << seed;
    }
}

TEST(HeadStrengths, OfTheZeroMapAreZeroAndComeWithOrthonormalMatrices) {
  const LeadingHeads none = leading_heads(DenseMap(Matrix::Zero(36, 36), 6), 6, 3, strengths_stream);
  EXPECT_EQ(none.strengths(0), 0);
  const Matrix forms = as_columns(none.forms);
  EXPECT_LT((forms.transpose() * forms - Matrix::Identity(3, 3)).norm(), 1e-10);
}

TEST(HeadStrengths, OutstandingAreThoseBeforeTheLargestRatio) {
  EXPECT_EQ(outstanding_heads(Vector{{5, 4, 1.1, 1, 0.9}}), 2);
  EXPECT_EQ(outstanding_heads(Vector{{9, 2, 1.1, 1, 0.9}}), 1);
  EXPECT_EQ(outstanding_heads(Vector{{1.2, 1.1, 1, 0.9}}), 0);
  EXPECT_EQ(outstanding_heads(Vector{{1.2, 1.1, 1, 1e-16}}), 0);
}

}  // namespace
}  // namespace hardhead::learner
