// The hull of the heads from certified rows, by the spectral route (learner/phases/hull.h). Arguments: d, k,
// m, rows, threads. The rows are harvested from 200,000 examples with the true W_sum; the hull must pass
// within 0.1 ||Theta_i|| of every head and name their number, which is checked first. Counters: Gflop/s,
// counted as rows d^4 / 2 for the second moment and d^6 / 3 for its factor, and of_matmul, its ratio to the
// matrix product's on as many cores in the same run.
#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include <cmath>

#include "base/run/run_context.h"
#include "bench/bench_data.h"
#include "learner/phases/hull.h"

namespace {

using namespace hardhead;
using namespace hardhead::bench;
using namespace hardhead::learner;

void hull(benchmark::State& state) {
  const Index d = state.range(0), k = state.range(1), m = state.range(2);
  const auto rows = state.range(3);
  const Layer layer = gaussian_layer(d, m);
  const attention::SimulatedSource source(std::make_shared<attention::LayerTeacher>(layer), d, k,
                                          attention::Inputs::boolean, Stream(Domain::samples, 1));
  const Harvest found = harvest({source, 0, 200'000}, layer.w_sum(), {.keep = rows}, RunContext{}, "harvest");
  const HullEstimate first = estimate_hull(found, {}, RunContext{});
  if (first.hull.heads() != m) return state.SkipWithError("the number of heads is wrong");
  for (const attention::Head& head : layer.heads)
    if (first.hull.distance(head.theta) > 0.1 * head.theta.norm())
      return state.SkipWithError("a head lies off the hull");
  tbb::task_arena arena(static_cast<int>(state.range(4)));
  arena.execute([&] {
    const double machine = matrix_product_rate();
    const Stopwatch watch;
    for (auto _ : state) benchmark::DoNotOptimize(estimate_hull(found, {}, RunContext{}));
    const double d2 = static_cast<double>(d * d),
                 flops = static_cast<double>(rows) * d2 * d2 / 2 + d2 * d2 * d2 / 3,
                 rate = flops * static_cast<double>(state.iterations()) / watch.seconds();
    state.counters["Gflop/s"] = rate / 1e9;
    state.counters["of_matmul"] = rate / machine;
  });
}

BENCHMARK(hull)
    ->ArgNames({"d", "k", "m", "rows", "threads"})
    ->Args({16, 3, 2, 4000, 1})
    ->Args({16, 3, 2, 4000, 2})
    ->Args({32, 3, 2, 4000, 1})
    ->Args({32, 3, 2, 4000, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
