// Exact evaluation in rationals (attention/layer/exact.h) on parity layers, one core. Arguments: d, m. The
// answer on random inputs is compared with the forward pass in double before the timing. Counters: inputs a
// second, and forward, how many times longer an input takes than in double by blocks in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "base/run/run_context.h"
#include "bench/bench_data.h"
#include "hardness/families/family.h"

namespace {

using namespace hardhead;
using namespace hardhead::attention;
using namespace hardhead::bench;

double forward_seconds_an_input(const Layer& layer, Block& block) {
  const Forward forward(layer);
  Forward::Workspace workspace;
  double best = 1e9;
  for (int round = 0; round < 50; ++round) {
    const Stopwatch watch;
    forward.apply(block, workspace);
    best = std::min(best, watch.seconds() / static_cast<double>(block.count));
  }
  return best;
}

void evaluate_exactly(benchmark::State& state) {
  const auto instance = hardness::make_instance(
      Spec::parse("parity:d=" + std::to_string(state.range(0)) + ",m=" + std::to_string(state.range(1))));
  const Index d = instance.layer.d, k = instance.k;
  Block block(d, k, block_size);
  draw_tokens(Inputs::boolean, Stream(Domain::test, 1), 0, block);
  const double in_double = forward_seconds_an_input(instance.layer, block);
  std::vector<std::vector<int>> inputs;
  for (Index n = 0; n < block.count; ++n) {
    inputs.emplace_back();
    for (Index r = 0; r < k; ++r)
      for (Index a = 0; a < d; ++a) inputs.back().push_back(block.x(a, block.column(r, n)) < 0 ? -1 : 1);
    const std::vector<Rational> y = evaluate(*instance.exact, inputs.back());
    for (Index r = 0; r < k; ++r)
      for (Index a = 0; a < d; ++a)
        if (std::abs(round_to_nearest(y[static_cast<std::size_t>(r * d + a)]) -
                     block.y(a, block.column(r, n))) > 1e-9)
          return state.SkipWithError("the exact value and the forward pass disagree");
  }
  std::size_t n = 0;
  const Stopwatch watch;
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(*instance.exact, inputs[n++ % inputs.size()]));
  const double seconds = watch.seconds() / static_cast<double>(state.iterations());
  state.counters["inputs"] = 1 / seconds;
  state.counters["forward"] = seconds / in_double;
}

BENCHMARK(evaluate_exactly)->ArgNames({"d", "m"})->Args({12, 4})->Args({20, 6})->Args({32, 8});

}  // namespace

BENCHMARK_MAIN();
