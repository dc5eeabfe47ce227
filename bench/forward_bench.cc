// Forward pass: hardhead's blocks against a straightforward per-example Eigen loop, and against the rate of
// this machine's own matrix product in the same run. Arguments: d, k, m. Counters: examples a second and
// Gflop/s, counted as 4 k m d^2 + 4 k^2 m d an example.
#include <benchmark/benchmark.h>

#include "bench/bench_data.h"

namespace {

using namespace hardhead::attention;
using namespace hardhead::bench;

constexpr Index examples = 4608;

// The formula as one writes it down, one example at a time.
Matrix per_example(const Layer& layer, const Matrix& x) {
  Matrix y = Matrix::Zero(x.rows(), x.cols());
  for (const Head& head : layer.heads) {
    Matrix p = x * head.theta * x.transpose();
    p.colwise() -= p.rowwise().maxCoeff().eval();
    p = p.array().exp();
    p.array().colwise() /= p.rowwise().sum().array().eval();
    y += p * x * head.w;
  }
  return y;
}

std::vector<Matrix> examples_of(const std::vector<Block>& blocks) {
  std::vector<Matrix> out;
  for (const Block& block : blocks)
    for (Index n = 0; n < block.count; ++n) {
      Matrix x(block.k, block.d());
      for (Index a = 0; a < block.k; ++a) x.row(a) = block.x.col(block.column(a, n)).transpose();
      out.push_back(x);
    }
  return out;
}

void count(benchmark::State& state, Index d, Index k, Index m) {
  const double flops = 4.0 * static_cast<double>(k * m * d * d + k * k * m * d);
  state.counters["examples"] =
      benchmark::Counter(static_cast<double>(state.iterations() * examples), benchmark::Counter::kIsRate);
  state.counters["Gflop"] = benchmark::Counter(
      static_cast<double>(state.iterations() * examples) * flops / 1e9, benchmark::Counter::kIsRate);
}

void forward_blocks(benchmark::State& state) {
  const Index d = state.range(0), k = state.range(1), m = state.range(2);
  const Layer layer = gaussian_layer(d, m);
  const Forward forward(layer);
  std::vector<Block> blocks = labelled_blocks(layer, k, examples);
  Forward::Workspace workspace;

  const std::vector<Matrix> inputs = examples_of(blocks);
  double worst = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    forward.apply(blocks[b], workspace);
    for (Index n = 0; n < block_size; ++n) {
      const Matrix y = per_example(layer, inputs[b * block_size + static_cast<std::size_t>(n)]);
      for (Index a = 0; a < k; ++a)
        worst = std::max(
            worst, (blocks[b].y.col(blocks[b].column(a, n)) - y.row(a).transpose()).cwiseAbs().maxCoeff());
    }
  }
  if (!(worst < 1e-13)) {
    state.SkipWithError("the two forward passes disagree");
    return;
  }
  for (auto _ : state)
    for (Block& block : blocks) {
      forward.apply(block, workspace);
      benchmark::DoNotOptimize(block.y.data());
    }
  count(state, d, k, m);
}

void forward_per_example(benchmark::State& state) {
  const Index d = state.range(0), k = state.range(1), m = state.range(2);
  const Layer layer = gaussian_layer(d, m);
  const std::vector<Matrix> inputs = examples_of(labelled_blocks(layer, k, examples));
  for (auto _ : state)
    for (const Matrix& x : inputs) {
      const Matrix y = per_example(layer, x);
      benchmark::DoNotOptimize(y.data());
    }
  count(state, d, k, m);
}

void matrix_product(benchmark::State& state) {
  constexpr Index size = 512;
  const Matrix a = Matrix::Random(size, size), b = Matrix::Random(size, size);
  Matrix c(size, size);
  for (auto _ : state) {
    c.noalias() = a * b;
    benchmark::DoNotOptimize(c.data());
  }
  state.counters["Gflop"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * 2.0 * size * size * size / 1e9, benchmark::Counter::kIsRate);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "k", "m"})->Args({16, 3, 2})->Args({32, 3, 3})->Args({64, 4, 4});
}

BENCHMARK(forward_blocks)->Apply(sizes);
BENCHMARK(forward_per_example)->Apply(sizes);
BENCHMARK(matrix_product);

}  // namespace

BENCHMARK_MAIN();
