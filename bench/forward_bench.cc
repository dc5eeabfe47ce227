// Forward pass on one core: hardhead's blocks, with kernels on each target of this CPU, and a straightforward
// per-example Eigen loop. Arguments: d, k, m, inputs (0: Boolean, 1: Gaussian), simd (the target). Counters:
// examples a second, Gflop/s, counted as 4 k m d^2 + 4 k^2 m d an example, and of_matmul, their ratio to this
// machine's own matrix product in the same run.
#include <benchmark/benchmark.h>

#include "base/numeric/simd.h"
#include "base/run/run_context.h"
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

struct Sizes {
  explicit Sizes(const benchmark::State& state)
      : d(state.range(0)),
        k(state.range(1)),
        m(state.range(2)),
        inputs(state.range(3) == 0 ? Inputs::boolean : Inputs::gaussian) {}
  Index d, k, m;
  Inputs inputs;
};

void count(benchmark::State& state, const Sizes& at, double seconds) {
  const double rate = static_cast<double>(state.iterations() * examples) / seconds;
  const double flops = forward_flops(at.d, at.k, at.m) * rate;
  state.counters["examples"] = rate;
  state.counters["Gflop"] = flops / 1e9;
  state.counters["of_matmul"] = flops / tbb::task_arena(1).execute(matrix_product_rate<>);
}

void forward_blocks(benchmark::State& state) {
  const Sizes at(state);
  const auto target = static_cast<hardhead::SimdTarget>(state.range(4));
  hardhead::choose_simd_target(target);
  state.SetLabel(hardhead::name_of(target));
  const Layer layer = gaussian_layer(at.d, at.m);
  const Forward forward(layer);
  std::vector<Block> blocks = labelled_blocks(layer, at.k, examples, at.inputs);
  Forward::Workspace workspace;

  const std::vector<Matrix> inputs = examples_of(blocks);
  double worst = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    forward.apply(blocks[b], workspace);
    for (Index n = 0; n < block_size; ++n) {
      const Matrix y = per_example(layer, inputs[b * block_size + static_cast<std::size_t>(n)]);
      for (Index a = 0; a < at.k; ++a)
        worst = std::max(
            worst, (blocks[b].y.col(blocks[b].column(a, n)) - y.row(a).transpose()).cwiseAbs().maxCoeff());
    }
  }
  if (!(worst < 1e-13)) {
    state.SkipWithError("the two forward passes disagree");
    return;
  }
  const hardhead::Stopwatch watch;
  for (auto _ : state)
    for (Block& block : blocks) {
      forward.apply(block, workspace);
      benchmark::DoNotOptimize(block.y.data());
    }
  count(state, at, watch.seconds());
}

void forward_per_example(benchmark::State& state) {
  const Sizes at(state);
  const Layer layer = gaussian_layer(at.d, at.m);
  const std::vector<Matrix> inputs = examples_of(labelled_blocks(layer, at.k, examples, at.inputs));
  const hardhead::Stopwatch watch;
  for (auto _ : state)
    for (const Matrix& x : inputs) {
      const Matrix y = per_example(layer, x);
      benchmark::DoNotOptimize(y.data());
    }
  count(state, at, watch.seconds());
}

const std::vector<std::vector<std::int64_t>> shapes{{16, 3, 2}, {32, 3, 3}, {64, 4, 4}};

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "k", "m", "inputs"});
  for (const int inputs : {0, 1})
    for (const auto& shape : shapes) bench->Args({shape[0], shape[1], shape[2], inputs});
}

void sizes_on_targets(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "k", "m", "inputs", "simd"});
  for (const int inputs : {0, 1})
    for (const auto& shape : shapes)
      for (const hardhead::SimdTarget target : hardhead::simd_targets())
        bench->Args({shape[0], shape[1], shape[2], inputs, static_cast<std::int64_t>(target)});
}

BENCHMARK(forward_blocks)->Apply(sizes_on_targets);
BENCHMARK(forward_per_example)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
