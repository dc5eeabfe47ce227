#include "learner/objective/linear_w.h"

#include <tbb/enumerable_thread_specific.h>

#include "attention/forward/forward.h"
#include "attention/samples/relative_error.h"
#include "base/run/parallel.h"
#include "learner/objective/ridge_solve.h"

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
  tbb::enumerable_thread_specific<Forward::Workspace> workspaces;
  const Normal sum = deterministic_reduce(
      static_cast<std::int64_t>(blocks.size()), 4,
      Normal{Matrix::Zero(size, size), Matrix::Zero(size, layer.d)},
      [&](Normal& part, std::int64_t b) {
        const Block& block = blocks[static_cast<std::size_t>(b)];
        Forward::Workspace& ws = workspaces.local();
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
  // Of one thread, kept from block to block: allocating it costs as much as filling it.
  struct Scratch {
    Block predicted;
    Forward::Workspace workspace;
  };
  tbb::enumerable_thread_specific<Scratch> scratches;
  const Sums sums = deterministic_reduce(
      static_cast<std::int64_t>(blocks.size()), 4, Sums{},
      [&](Sums& part, std::int64_t b) {
        const Block& block = blocks[static_cast<std::size_t>(b)];
        Scratch& scratch = scratches.local();
        scratch.predicted = block;
        forward.apply(scratch.predicted, scratch.workspace);
        part.error += (scratch.predicted.y - block.y).squaredNorm();
        part.total += block.y.squaredNorm();
      },
      [](Sums& left, const Sums& right) {
        left.error += right.error;
        left.total += right.total;
      });
  return attention::relative_error(sums.error, sums.total);
}

}  // namespace hardhead::learner
