// Gauss-Newton: the normal product J^T J v and four steps of a run, against the rate of this machine's own
// matrix product on as many cores in the same run. Arguments: d, k, m, threads. Counters: Gflop/s and,
// of_matmul, its ratio to the matrix product's. Counted are the stacked products of m d x d by d x (k N)
// only, 2 m d^2 k N each:
//
//     normal product   4: dTheta^T X, dW^T X, H X^T, E X^T
//     linearisation    4: Theta^T X, W^T X, H X^T, E X^T
//     four steps       a linearisation at the start and at each trial, a normal product for each inner step
//
// and nothing of softmax, token products, preconditioner, held-back error.
#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include <array>

#include "bench/bench_data.h"
#include "learner/fits/gauss_newton.h"
#include "learner/objective/least_squares.h"

namespace {

using namespace hardhead;
using namespace hardhead::bench;
using namespace hardhead::learner;

constexpr Index examples = 4608;

// F(at + h v) - F(at - h v) over 2 h: J v by central difference.
std::vector<attention::RowMatrix> difference(std::vector<Block> blocks, const Stacked& at, const Stacked& v) {
  constexpr double h = 1e-5;
  attention::Forward::Workspace workspace;
  const attention::Forward up(unstack(at + h * v)), down(unstack(at - h * v));
  std::vector<attention::RowMatrix> out;
  for (Block& block : blocks) {
    up.apply(block, workspace);
    const attention::RowMatrix above = block.y;
    down.apply(block, workspace);
    out.push_back((above - block.y) / (2 * h));
  }
  return out;
}

// <u, J^T J v> against <J u, J v> by central differences.
bool normal_product_is_right(const std::vector<Block>& blocks, const Layer& layer) {
  const Linearisation linear(blocks, layer);
  const Stacked at = stack(layer), u = stack(gaussian_layer(layer.d, layer.m(), 2)),
                v = stack(gaussian_layer(layer.d, layer.m(), 3));
  const auto ju = difference(blocks, at, u), jv = difference(blocks, at, v);
  double total = 0, inner = 0, uu = 0, vv = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    total += blocks[b].y.squaredNorm();
    inner += ju[b].cwiseProduct(jv[b]).sum();
    uu += ju[b].squaredNorm(), vv += jv[b].squaredNorm();
  }
  const double product = u.cwiseProduct(linear.normal_product(v)).sum() * total;
  return std::abs(product - inner) < 1e-7 * std::sqrt(uu * vv);
}

void count(benchmark::State& state, Index d, Index k, Index m, double stacked_products, double seconds) {
  const double machine = matrix_product_rate();
  const double rate = stacked_products * 2.0 * static_cast<double>(m * d * d * k * examples) / seconds;
  state.counters["Gflop/s"] = rate / 1e9;
  state.counters["of_matmul"] = rate / machine;
}

using Product = Stacked (Linearisation::*)(const Stacked&) const;

template <Product product>
void normal_product(benchmark::State& state) {
  const Index d = state.range(0), k = state.range(1), m = state.range(2);
  const std::vector<Block> blocks = labelled_blocks(gaussian_layer(d, m), k, examples);
  const Layer layer = gaussian_layer(d, m, 2);
  if (!normal_product_is_right({blocks.begin(), blocks.begin() + 2}, layer)) {
    state.SkipWithError("the normal product disagrees with central differences");
    return;
  }
  const Linearisation linear(blocks, layer);
  const Stacked v = stack(gaussian_layer(d, m, 3));
  tbb::task_arena(static_cast<int>(state.range(3))).execute([&] {
    const Stopwatch watch;
    for (auto _ : state) benchmark::DoNotOptimize((linear.*product)(v));
    count(state, d, k, m, 4.0 * static_cast<double>(state.iterations()), watch.seconds());
  });
}

void four_steps(benchmark::State& state) {
  constexpr int steps = 4;
  const Index d = state.range(0), k = state.range(1), m = state.range(2);
  const Layer truth = gaussian_layer(d, m);
  const std::vector<Block> blocks = labelled_blocks(truth, k, examples);
  const std::vector<Block> holdout = {blocks.front()};
  // A start as a run passes through it: two fifths of the way from the truth.
  const Layer start = unstack(0.6 * stack(truth) + 0.4 * stack(gaussian_layer(d, m, 2)));
  double products = 0, inner_steps = 0;
  tbb::task_arena(static_cast<int>(state.range(3))).execute([&] {
    const Stopwatch watch;
    for (auto _ : state) {
      const GaussNewtonResult result =
          gauss_newton(blocks, holdout, start, {.iterations = steps}, RunContext{}, "");
      products += 4 * (1 + result.iterations + result.inner_steps);
      inner_steps += result.inner_steps;
    }
    count(state, d, k, m, products, watch.seconds());
  });
  state.counters["inner_steps"] = benchmark::Counter(inner_steps, benchmark::Counter::kAvgIterations);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "k", "m", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const auto& [d, k, m] : {std::array{16, 3, 2}, {16, 3, 4}, {32, 3, 3}, {64, 4, 4}, {64, 2, 2}})
    for (const int threads : {1, 2}) bench->Args({d, k, m, threads});
}

BENCHMARK(normal_product<&Linearisation::normal_product>)->Name("normal_product")->Apply(sizes);
BENCHMARK(normal_product<&Linearisation::rough_normal_product>)->Name("rough_normal_product")->Apply(sizes);
BENCHMARK(four_steps)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
