#pragma once
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "attention/forward/forward.h"
#include "attention/forward/matrix_product.h"
#include "attention/samples/inputs.h"
#include "base/numeric/random.h"
#include "base/run/parallel.h"

/// What the benchmarks share: layers, inputs, and the rate of this machine's own matrix product.
namespace hardhead::bench {

using attention::Block;
using attention::Index;
using attention::Layer;
using attention::Matrix;

/// A layer of Gaussian matrices, ||Theta_i|| about 2 and ||W_i|| about 1.
inline Layer gaussian_layer(Index d, Index m, std::uint64_t seed = 1) {
  const Stream stream(Domain::instance, seed, "bench");
  Layer layer;
  layer.d = d;
  std::vector<double> numbers(static_cast<std::size_t>(d * d));
  for (Index i = 0; i < m; ++i) {
    attention::Head head;
    stream.normals(static_cast<std::uint64_t>(2 * i), numbers);
    head.theta = Eigen::Map<Matrix>(numbers.data(), d, d) * (2.0 / static_cast<double>(d));
    stream.normals(static_cast<std::uint64_t>(2 * i + 1), numbers);
    head.w = Eigen::Map<Matrix>(numbers.data(), d, d) / static_cast<double>(d);
    layer.heads.push_back(head);
  }
  return layer;
}

/// Whole blocks of inputs, labelled by the layer.
inline std::vector<Block> labelled_blocks(const Layer& layer, Index k, Index examples,
                                          attention::Inputs inputs = attention::Inputs::boolean) {
  std::vector<Block> blocks;
  const Stream stream(Domain::samples, 1);
  const attention::Forward forward(layer);
  attention::Forward::Workspace workspace;
  for (Index first = 0; first < examples; first += attention::block_size) {
    blocks.emplace_back(layer.d, k, attention::block_size);
    draw_tokens(inputs, stream, static_cast<std::uint64_t>(first), blocks.back());
    forward.apply(blocks.back(), workspace);
  }
  return blocks;
}

/// Operations of a forward pass over one example, as products of matrices: 4 k m d^2 + 4 k^2 m d.
inline double forward_flops(Index d, Index k, Index m) {
  return 4.0 * static_cast<double>(k * m * d * d + k * k * m * d);
}

/// Floating-point operations a second of matrix products of size 512 on all cores of the calling thread's
/// arena at once, one product a core: the best of several rounds.
template <class Scalar = double>
double matrix_product_rate() {
  using Clock = std::chrono::steady_clock;
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  constexpr Index size = 512;
  constexpr int rounds = 8, products = 8;
  const Matrix a = Matrix::Random(size, size), b = Matrix::Random(size, size);
  const auto cores = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  std::vector<Matrix> c(cores, Matrix(size, size));
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    parallel_for_each_index(static_cast<std::int64_t>(cores), [&](std::int64_t core) {
      for (int i = 0; i < products; ++i) attention::set_product(c[static_cast<std::size_t>(core)], a, b);
    });
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, static_cast<double>(cores) * products * 2.0 * size * size * size / seconds);
  }
  return best;
}

}  // namespace hardhead::bench
