#include "learner/objective/linear_w.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>

#include "attention/forward/forward.h"
#include "attention/forward/matrix_product.h"
#include "attention/samples/relative_error.h"
#include "learner/objective/blocks.h"
#include "learner/objective/cholesky.h"

namespace hardhead::learner {

Layer fit_w(const std::vector<Block>& blocks, const std::vector<Matrix>& thetas, const StopToken& stop) {
  Layer layer;
  layer.d = thetas.front().rows();
  for (const Matrix& theta : thetas) layer.heads.push_back({theta, Matrix::Zero(layer.d, layer.d)});
  const Index size = layer.m() * layer.d;
  struct Normal {
    Matrix zz, zy;
    void operator+=(const Normal& other) { zz += other.zz, zy += other.zy; }
  };
  const Forward forward(layer);
  tbb::enumerable_thread_specific<Forward::Workspace> workspaces;
  const Normal sum =
      sum_over_blocks(blocks.size(), Normal{Matrix::Zero(size, size), Matrix::Zero(size, layer.d)}, stop,
                      [&](Normal& part, std::size_t b) {
                        Forward::Workspace& ws = workspaces.local();
                        forward.attend(blocks[b], ws);
                        add_product(part.zz, ws.z, ws.z.transpose());
                        add_product(part.zy, ws.z, blocks[b].y.transpose());
                      });
  const Matrix w = ridge_solve(sum.zz, sum.zy, stop);
  for (Index i = 0; i < layer.m(); ++i)
    layer.heads[static_cast<std::size_t>(i)].w = w.middleRows(i * layer.d, layer.d);
  return layer;
}

double fit_w_bytes(const PassShape& shape, std::int64_t examples) {
  const auto size = static_cast<double>(shape.m * shape.d), d = static_cast<double>(shape.d);
  // At the end the sum, a copy with a ridge, and its factor.
  const std::int64_t sums =
      std::max<std::int64_t>(3, most_partial_results(blocks_of(examples), blocks_a_run));
  return 2 * layer_bytes(shape.d, shape.m) + forward_bytes(shape) +
         threads() * workspace_bytes(shape).attend + 8 * size * (size + d) * static_cast<double>(sums);
}

double relative_error(const std::vector<Block>& blocks, const Layer& layer, const StopToken& stop) {
  struct Sums {
    double error = 0, total = 0;
    void operator+=(const Sums& other) { error += other.error, total += other.total; }
  };
  const Forward forward(layer);
  // Of one thread, kept from block to block: allocating it costs as much as filling it.
  struct Scratch {
    Block predicted;
    Forward::Workspace workspace;
  };
  tbb::enumerable_thread_specific<Scratch> scratches;
  const Sums sums = sum_over_blocks(blocks.size(), Sums{}, stop, [&](Sums& part, std::size_t b) {
    const Block& block = blocks[b];
    Scratch& scratch = scratches.local();
    scratch.predicted = block;
    forward.apply(scratch.predicted, scratch.workspace);
    part.error += (scratch.predicted.y - block.y).squaredNorm();
    part.total += block.y.squaredNorm();
  });
  return attention::relative_error(sums.error, sums.total);
}

double relative_error_bytes(const PassShape& shape) {
  return forward_bytes(shape) +
         threads() * (example_bytes(shape.d, shape.k, block_size) + workspace_bytes(shape).apply);
}

}  // namespace hardhead::learner
