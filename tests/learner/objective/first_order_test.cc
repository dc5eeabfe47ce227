#include "learner/objective/first_order.h"

#include <gtest/gtest.h>

#include <tbb/task_arena.h>

#include <Eigen/Dense>

#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using attention::Layer;
using attention::Matrix;
using attention::Vector;
using testing::NiceSource;

Matrix gaussian_stack(Index d, Index count, std::uint64_t item) {
  std::vector<double> numbers(static_cast<std::size_t>(count * d * d));
  Stream(Domain::test, 1, "first order").normals(item, numbers);
  return Eigen::Map<const Matrix>(numbers.data(), count * d, d);
}

// K of FirstOrder.
Matrix whitening(const Matrix& residuals, const Matrix& labels) {
  const auto rows = static_cast<double>(labels.rows()), d = static_cast<double>(labels.cols());
  Matrix covariance = residuals.transpose() * residuals / rows;
  covariance.diagonal().array() += (1e-6 * residuals.squaredNorm() + 1e-8 * labels.squaredNorm()) / rows / d;
  return Eigen::SelfAdjointEigenSolver<Matrix>(covariance).operatorInverseSqrt();
}

// The d^2 x d^2 matrix of A from its definition, row by row.
Matrix by_definition(const std::vector<Block>& blocks, Index d) {
  std::vector<Vector> features, labels;
  std::vector<Matrix> terms;  // Theta^T to C(X) Theta^T x_r, d x d^2
  for (const Block& block : blocks)
    for (Index n = 0; n < block.count; ++n) {
      Matrix x(d, block.k);
      for (Index j = 0; j < block.k; ++j) x.col(j) = block.x.col(block.column(j, n));
      const Vector mean = x.rowwise().mean();
      const Matrix spread = x * x.transpose() / static_cast<double>(block.k) - mean * mean.transpose();
      for (Index r = 0; r < block.k; ++r) {
        features.emplace_back(2 * d) << x.col(r), mean;
        labels.emplace_back(block.y.col(block.column(r, n)));
        Matrix term(d, d * d);  // entry (b, c) of Theta^T is in column b + d c
        for (Index c = 0; c < d; ++c) term.middleCols(c * d, d) = x(c, r) * spread;
        terms.push_back(term);
      }
    }
  const auto rows = static_cast<Index>(features.size());
  Matrix design(rows, 2 * d), y(rows, d);
  for (Index r = 0; r < rows; ++r) {
    design.row(r) = features[static_cast<std::size_t>(r)];
    y.row(r) = labels[static_cast<std::size_t>(r)];
  }
  const Matrix residuals = y - design * design.completeOrthogonalDecomposition().solve(y),
               left = residuals * whitening(residuals, y);
  Matrix a = Matrix::Zero(d * d, d * d);
  for (Index r = 0; r < rows; ++r)
    for (Index f = 0; f < d; ++f)
      a.middleRows(f * d, d) += left(r, f) * terms[static_cast<std::size_t>(r)] / static_cast<double>(rows);
  return a;
}

void expect_is_its_definition(const char* spec, std::int64_t first, std::int64_t count, double tolerance) {
  const NiceSource nice(spec);
  const Index d = nice.layer().d;
  const Matrix expected = by_definition(read_blocks(nice.source, first, count, {}), d);
  const RunContext context;
  const FirstOrder map({nice.source, first, count}, 2, 2, context);
  const Matrix given = gaussian_stack(d, 2, 1), image = as_columns(map.image(given)),
               there = expected * as_columns(given), adjoint = as_columns(map.adjoint(given)),
               back = expected.transpose() * as_columns(given);
  EXPECT_LT((image - there).norm(), tolerance * there.norm()) << spec;
  EXPECT_LT((adjoint - back).norm(), tolerance * back.norm()) << spec;
}

TEST(FirstOrder, IsItsDefinitionInDoubleInSmallDimensions) {
  expect_is_its_definition("nice:d=4,k=3,m=2,seed=4", 0, 250, 1e-9);
  expect_is_its_definition("nice:d=5,k=2,m=2,seed=5,inputs=gaussian", 30, 250, 1e-9);
}

TEST(FirstOrder, IsItsDefinitionInSinglePrecisionElsewhere) {
  expect_is_its_definition("nice:d=18,k=2,m=2,seed=4", 0, 250, 1e-5);
  expect_is_its_definition("nice:d=18,k=2,m=2,seed=5,inputs=gaussian", 30, 300, 1e-5);
}

FirstOrder map_of(const Layer& layer, const RunContext& context) {
  const attention::SimulatedSource source(std::make_shared<attention::LayerTeacher>(layer), layer.d, 2,
                                          attention::Inputs::boolean,
                                          Stream(Domain::samples, 1, "first order"));
  return {{source, 0, 500}, 1, 1, context};
}

// What is left of the labels is rounding, which is not whitened, so that K is a multiple of I but for
// rounding.
TEST(FirstOrder, OfUniformAttentionIsZeroAndSeesWsum) {
  for (const Index d : {6, 18}) {
    const Layer layer = NiceSource("nice:d=" + std::to_string(d) + ",k=2,m=2").layer();
    Layer uniform = layer;
    for (attention::Head& head : uniform.heads) head.theta.setZero();
    const RunContext context;
    const FirstOrder map = map_of(uniform, context);
    EXPECT_LT((map.w_sum().normalized() - layer.w_sum().normalized()).norm(), 1e-4);
    const Matrix given = gaussian_stack(d, 1, 2);
    EXPECT_LT(map.image(given).norm(), 1e-2 * map_of(layer, context).image(given).norm());
  }
}

// The other head writes a hundred times as much, to directions of its own.
TEST(FirstOrder, ShowsAHeadByItsShareOfTheDirectionsThatItWritesTo) {
  for (const Index d : {6, 18}) {
    Layer layer = NiceSource("nice:d=" + std::to_string(d) + ",k=2,m=2").layer();
    const Index half = d / 2;
    layer.heads[0].w.rightCols(half).setZero(), layer.heads[1].w.leftCols(half).setZero();
    layer.heads[0].w *= 100;
    const RunContext context;
    const FirstOrder map = map_of(layer, context);
    const auto image = [&](Index head) {
      return map.image(layer.heads[static_cast<std::size_t>(head)].theta.transpose()).norm();
    };
    EXPECT_LT(image(0), 3 * image(1)) << d;
    EXPECT_GT(image(0), image(1) / 3) << d;
  }
}

TEST(FirstOrder, IsTheSameForAnyNumberOfThreads) {
  for (const char* spec : {"nice:d=8,k=3,m=2,seed=4", "nice:d=18,k=2,m=2,seed=4"}) {
    const NiceSource nice(spec);
    const auto with = [&](int threads) {
      return tbb::task_arena(threads).execute([&] {
        const RunContext context;
        return FirstOrder({nice.source, 0, 1000}, 2, 1, context).image(gaussian_stack(nice.layer().d, 2, 3));
      });
    };
    EXPECT_EQ(with(1), with(3)) << spec;
  }
}

TEST(FirstOrder, ColumnsAndStacksAreEachOthersInverse) {
  const Matrix stack = gaussian_stack(3, 4, 5);
  EXPECT_EQ(as_columns(stack).rows(), 9);
  EXPECT_EQ(as_stack(as_columns(stack), 3), stack);
}

}  // namespace
}  // namespace hardhead::learner
