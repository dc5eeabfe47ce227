// Forward pass: hardhead's blocks against LibTorch in float64, same examples, one run. Arguments: d, k, m,
// inputs (0 Boolean, 1 Gaussian), threads, for hardhead the target (base/numeric/simd.h), and for LibTorch
// the examples of a chunk: a chunk that fits the cache is faster, and threads take whole chunks. Both answers
// are compared before the timing. Counters: examples a second and Gflop/s, counted as 4 k m d^2 + 4 k^2 m d
// an example whatever is really computed.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include "base/numeric/simd.h"
#include "bench/torch/torch_layer.h"

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace hardhead;
using namespace hardhead::bench;
using attention::Forward;
using attention::RowMatrix;

constexpr Index examples = 4608;

struct Sizes {
  explicit Sizes(const benchmark::State& state)
      : d(state.range(0)),
        k(state.range(1)),
        m(state.range(2)),
        inputs(state.range(3) == 0 ? attention::Inputs::boolean : attention::Inputs::gaussian),
        threads(static_cast<int>(state.range(4))) {}
  Index d, k, m;
  attention::Inputs inputs;
  int threads;
};

void count(benchmark::State& state, const Sizes& at) {
  const double done = static_cast<double>(state.iterations() * examples);
  const double flops = forward_flops(at.d, at.k, at.m);
  state.counters["examples"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["Gflop/s"] = benchmark::Counter(done * flops / 1e9, benchmark::Counter::kIsRate);
}

void hardhead_forward(benchmark::State& state) {
  const Sizes at(state);
  const SimdTarget before = simd_target(), target = static_cast<SimdTarget>(state.range(5));
  choose_simd_target(target);
  state.SetLabel(name_of(target));
  const Layer layer = gaussian_layer(at.d, at.m);
  std::vector<Block> blocks = labelled_blocks(layer, at.k, examples, at.inputs);
  const Forward forward(layer);
  std::vector<Forward::Workspace> workspaces(static_cast<std::size_t>(at.threads));
  tbb::task_arena arena(at.threads);
  arena.execute([&] {
    for (auto _ : state)
      parallel_for_each_index(at.threads, [&](std::int64_t part) {
        for (std::size_t b = static_cast<std::size_t>(part); b < blocks.size();
             b += static_cast<std::size_t>(at.threads))
          forward.apply(blocks[b], workspaces[static_cast<std::size_t>(part)]);
      });
  });
  choose_simd_target(before);
  count(state, at);
}

template <Formulation formulation>
void torch_forward_pass(benchmark::State& state) {
  const Sizes at(state);
  const Index chunk = state.range(5);
  const torch::NoGradGuard no_grad;
  const Layer layer = gaussian_layer(at.d, at.m);
  const TorchLayer stacked = torch_layer(formulation, layer);
  std::vector<torch::Tensor> chunks;
  double worst = 0;
  {
    Block one(at.d, at.k, chunk);
    Forward::Workspace workspace;
    const Forward forward(layer);
    for (Index first = 0; first < examples; first += chunk) {
      draw_tokens(at.inputs, Stream(Domain::samples, 1), static_cast<std::uint64_t>(first), one);
      chunks.push_back(torch_tokens(formulation, one.x, at.k));
      forward.apply(one, workspace);
      const auto y = torch_forward(formulation, chunks.back(), stacked, at.d, at.k, at.m);
      worst = std::max(worst, (y - torch_tokens(formulation, one.y, at.k)).abs().max().item<double>());
    }
  }
  if (!(worst < 1e-12)) {
    state.SkipWithError("LibTorch and hardhead disagree");
    return;
  }
  openblas_set_num_threads(1);  // threads have chunks of their own, as ours have blocks
  tbb::task_arena arena(at.threads);
  arena.execute([&] {
    for (auto _ : state)
      parallel_for_each_index(at.threads, [&](std::int64_t part) {
        const torch::NoGradGuard own;
        at::set_num_threads(1);
        for (std::size_t c = static_cast<std::size_t>(part); c < chunks.size();
             c += static_cast<std::size_t>(at.threads))
          benchmark::DoNotOptimize(torch_forward(formulation, chunks[c], stacked, at.d, at.k, at.m));
      });
  });
  count(state, at);
}

const std::vector<std::vector<std::int64_t>> shapes{{16, 3, 2}, {32, 3, 3}, {64, 4, 4}};

void ours(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "k", "m", "inputs", "threads", "simd"})->UseRealTime();
  for (const auto& shape : shapes)
    for (const std::int64_t inputs : {0, 1})
      for (const std::int64_t threads : {1, 2})
        for (const SimdTarget target : simd_targets())
          bench->Args({shape[0], shape[1], shape[2], inputs, threads, static_cast<int>(target)});
}

void theirs(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "k", "m", "inputs", "threads", "chunk"})->UseRealTime();
  for (const auto& shape : shapes)
    for (const std::int64_t threads : {1, 2})
      for (const std::int64_t chunk : {48, 96, 192, 384, 1152})
        bench->Args({shape[0], shape[1], shape[2], 0, threads, chunk});
}

BENCHMARK(hardhead_forward)->Apply(ours);
BENCHMARK_TEMPLATE(torch_forward_pass, Formulation::batch_last)->Apply(theirs);
BENCHMARK_TEMPLATE(torch_forward_pass, Formulation::batched)->Apply(theirs);

}  // namespace

BENCHMARK_MAIN();
