// Steps of a gradient learner's student (learner/gradient/descent.h): Adam, squared loss, single precision, k
// = 2 tokens. Arguments: d, heads, batch, Theta (0 full, 1 diagonal), distinct examples (0: all fresh),
// threads. A descent of 200 steps is timed, with what it does besides: it draws examples, judges the
// held-back error every 100 steps, updates. Counters: steps a second; Gflop/s, counted as student_descent.h
// says; and of_matmul, its ratio to the rate of this machine's own matrix product, in single precision, on as
// many cores in the same run.
#include <benchmark/benchmark.h>

#include "bench/student_descent.h"

namespace {

using namespace hardhead;
using namespace hardhead::bench;

void descent(benchmark::State& state) {
  constexpr std::int64_t steps = 200;
  const StudentTask task{
      .d = state.range(0),
      .heads = state.range(1),
      .theta = state.range(3) == 0 ? learner::ThetaShape::full : learner::ThetaShape::diagonal,
      .batch = state.range(2)};
  const std::int64_t distinct = state.range(4) > 0 ? state.range(4) : steps * task.batch;
  tbb::task_arena arena(static_cast<int>(state.range(5)));
  double seconds = 0;
  for (auto _ : state) {
    state.PauseTiming();
    TimedDescent timed(task, steps, distinct);
    state.ResumeTiming();
    const Stopwatch watch;
    arena.execute([&] { timed.descend(); });
    seconds += watch.seconds();
  }
  const double taken = static_cast<double>(steps * state.iterations());
  state.counters["steps"] = taken / seconds;
  state.counters["Gflop/s"] = task.flops() * taken / seconds / 1e9;
  state.counters["of_matmul"] =
      task.flops() * taken / seconds / arena.execute([] { return matrix_product_rate<float>(); });
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "heads", "batch", "diagonal", "distinct", "threads"})
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  for (const std::int64_t d : {20, 32, 64})
    for (const std::int64_t heads : {32, 64})
      for (const std::int64_t distinct : {0, 20000})
        for (const std::int64_t threads : {1, 2}) bench->Args({d, heads, 512, 0, distinct, threads});
  bench->Args({20, 64, 512, 1, 0, 1})->Args({20, 64, 512, 1, 20000, 1});
}

BENCHMARK(descent)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
