#include "learner/objective/head_strengths.h"

#include <gtest/gtest.h>

#include <tbb/task_arena.h>

#include <Eigen/Dense>
#include <array>

#include "learner/learner.h"
#include "learner/objective/blocks.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using attention::Matrix;
using attention::Vector;
using testing::NiceSource;

const Stream strengths_stream(Domain::test, 1, "head strengths");

// All singular values of A from its definition, row by row; A is a matrix over pairs (a, f), (b, c).
Vector by_definition(const std::vector<Block>& blocks, Index d) {
  std::vector<Vector> features, labels;
  std::vector<Matrix> spreads;  // C(X) x_r^T, d x d^2
  for (const Block& block : blocks)
    for (Index n = 0; n < block.count; ++n) {
      Matrix x(d, block.k);
      for (Index j = 0; j < block.k; ++j) x.col(j) = block.x.col(block.column(j, n));
      const Vector mean = x.rowwise().mean();
      const Matrix spread = x * x.transpose() / static_cast<double>(block.k) - mean * mean.transpose();
      for (Index r = 0; r < block.k; ++r) {
        features.emplace_back(2 * d) << x.col(r), mean;
        labels.emplace_back(block.y.col(block.column(r, n)));
        Matrix all(d, d * d);  // (C Theta^T x_r)_a = sum_bc C_ab x_rc Theta_cb
        for (Index b = 0; b < d; ++b) all.middleCols(b * d, d) = spread.col(b) * x.col(r).transpose();
        spreads.push_back(all);
      }
    }
  const auto rows = static_cast<Index>(features.size());
  Matrix design(rows, 2 * d), y(rows, d);
  for (Index r = 0; r < rows; ++r) {
    design.row(r) = features[static_cast<std::size_t>(r)];
    y.row(r) = labels[static_cast<std::size_t>(r)];
  }
  const Matrix left = y - design * design.completeOrthogonalDecomposition().solve(y);
  Matrix a = Matrix::Zero(d * d, d * d);
  for (Index r = 0; r < rows; ++r)
    for (Index f = 0; f < d; ++f)
      a.middleRows(f * d, d) += left(r, f) * spreads[static_cast<std::size_t>(r)] / static_cast<double>(rows);
  return a.bdcSvd().singularValues();
}

TEST(HeadStrengths, AreTheLargestSingularValuesOfTheirMap) {
  for (const char* spec : {"nice:d=4,k=3,m=2,seed=4", "nice:d=5,k=2,m=2,seed=5,inputs=gaussian"}) {
    const NiceSource nice(spec);
    const auto blocks = read_blocks(nice.source, 0, 250, {});
    const Index d = nice.layer().d;
    // As many as there are: subspace iteration is then exact.
    const Vector strengths = leading_heads(blocks, d * d, strengths_stream).strengths,
                 expected = by_definition(blocks, d);
    EXPECT_LT((strengths - expected).lpNorm<Eigen::Infinity>(), 1e-7 * expected(0)) << spec;
    const Vector two = leading_heads(blocks, 4, strengths_stream).strengths.head(2);
    EXPECT_LT((two - expected.head(2)).norm(), 0.03 * expected(0)) << spec;
  }
}

// So few of so large a layer are computed by passes over the examples, without the matrix of A.
TEST(HeadStrengths, AreTheSameByPassesOverTheExamples) {
  const NiceSource nice("nice:d=16,k=2,m=2,seed=4");
  const auto blocks = read_blocks(nice.source, 0, 600, {});
  const Vector two = leading_heads(blocks, 4, strengths_stream).strengths.head(2),
               expected = by_definition(blocks, 16);
  EXPECT_LT((two - expected.head(2)).norm(), 0.03 * expected(0));
}

TEST(HeadStrengths, StandOutOfTheNoiseAsOftenAsThereAreHeads) {
  for (const auto& [d, k, m] : {std::array{16, 3, 1}, {16, 3, 2}, {16, 3, 4}, {16, 2, 4}, {32, 3, 3}})
    for (int seed = 1; seed <= 3; ++seed) {
      const NiceSource nice("nice:d=" + std::to_string(d) + ",k=" + std::to_string(k) +
                            ",m=" + std::to_string(m) + ",seed=" + std::to_string(seed));
      const auto examples = std::max<std::int64_t>(1000, 8 * pattern_bound(d, k));
      const auto blocks = read_blocks(nice.source, 0, examples, {});
      EXPECT_EQ(outstanding_heads(leading_heads(blocks, 10, strengths_stream).strengths), m)
          << d << " " << k << " " << seed;
    }
}

TEST(HeadStrengths, AreTheSameForAnyNumberOfThreads) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=4");
  const auto blocks = read_blocks(nice.source, 0, 1000, {});
  const auto with = [&](int threads) {
    return tbb::task_arena(threads).execute(
        [&] { return leading_heads(blocks, 5, strengths_stream).strengths; });
  };
  EXPECT_EQ(with(1), with(3));
}

TEST(HeadStrengths, ComeWithOrthonormalMatricesAlsoOfLabelsThatAreZero) {
  const NiceSource nice("nice:d=6,k=3,m=2,seed=4");
  auto blocks = read_blocks(nice.source, 0, 300, {});
  const auto gram = [](const Matrix& stack) {
    Matrix out(stack.rows() / 6, stack.rows() / 6);
    for (Index i = 0; i < out.rows(); ++i)
      for (Index j = 0; j < out.rows(); ++j)
        out(i, j) = stack.middleRows(6 * i, 6).cwiseProduct(stack.middleRows(6 * j, 6)).sum();
    return out;
  };
  const LeadingHeads heads = leading_heads(blocks, 3, strengths_stream);
  EXPECT_LT((gram(heads.forms) - Matrix::Identity(3, 3)).norm(), 1e-10);
  EXPECT_LT((gram(heads.projections) - Matrix::Identity(3, 3)).norm(), 1e-10);
  for (Block& block : blocks) block.y.setZero();
  const LeadingHeads none = leading_heads(blocks, 3, strengths_stream);
  EXPECT_EQ(none.strengths(0), 0);
  EXPECT_TRUE(none.forms.allFinite() && none.projections.allFinite());
}

TEST(HeadStrengths, OutstandingAreThoseBeforeTheLargestRatio) {
  EXPECT_EQ(outstanding_heads(Vector{{5, 4, 1.1, 1, 0.9}}), 2);
  EXPECT_EQ(outstanding_heads(Vector{{9, 2, 1.1, 1, 0.9}}), 1);
  EXPECT_EQ(outstanding_heads(Vector{{1.2, 1.1, 1, 0.9}}), 0);
  EXPECT_EQ(outstanding_heads(Vector{{1.2, 1.1, 1, 1e-16}}), 0);
}

}  // namespace
}  // namespace hardhead::learner
