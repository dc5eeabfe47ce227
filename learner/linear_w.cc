#include "learner/linear_w.h"

#include "attention/forward.h"
#include "attention/relative_error.h"
#include "base/parallel.h"
#include "learner/ridge_solve.h"

namespace hardhead::learner {

using namespace attention;

Layer fit_w(const std::vector<Block>& blocks, const std::vector<Matrix>& thetas) {
  Layer layer;
  layer.d = thetas.front().rows();
  for (const Matrix& theta : thetas) layer.heads.push_back({theta, Matrix::Zero(layer.d, layer.d)});
  const Index size = layer.m() * layer.d;
  struct Normal {
    Matrix zz, zy;
  };
  const Forward forward(layer);
  const Normal sum = deterministic_reduce(
      static_cast<std::int64_t>(blocks.size()), 4,
      Normal{Matrix::Zero(size, size), Matrix::Zero(size, layer.d)},
      [&](Normal& part, std::int64_t b) {
        const Block& block = blocks[static_cast<std::size_t>(b)];
        Forward::Workspace ws;
        forward.attend(block, ws);
        part.zz.noalias() += ws.z * ws.z.transpose();
        part.zy.noalias() += ws.z * block.y.transpose();
      },
      [](Normal& left, const Normal& right) {
        left.zz += right.zz;
        left.zy += right.zy;
      });
  const Matrix w = ridge_solve(sum.zz, sum.zy);
  for (Index i = 0; i < layer.m(); ++i)
    layer.heads[static_cast<std::size_t>(i)].w = w.middleRows(i * layer.d, layer.d);
  return layer;
}

double relative_error(const std::vector<Block>& blocks, const Layer& layer) {
  struct Sums {
    double error = 0, total = 0;
  };
  const Forward forward(layer);
  const Sums sums = deterministic_reduce(
      static_cast<std::int64_t>(blocks.size()), 4, Sums{},
      [&](Sums& part, std::int64_t b) {
        Block block = blocks[static_cast<std::size_t>(b)];
        const RowMatrix y = block.y;
        Forward::Workspace ws;
        forward.apply(block, ws);
        part.error += (block.y - y).squaredNorm();
        part.total += y.squaredNorm();
      },
      [](Sums& left, const Sums& right) {
        left.error += right.error;
        left.total += right.total;
      });
  return attention::relative_error(sums.error, sums.total);
}

}  // namespace hardhead::learner
