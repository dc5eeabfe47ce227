// An arbitrary query over all 2^24 inputs, exactly: one core and two. The answer is known (mean 3/8) and
// checked. Counters: points a second, and copies, its time in units of a copy of eight bytes a point on one
// core.
#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include "bench/memory_copy.h"
#include "sq/concepts/enumerate.h"

namespace {

using namespace hardhead;
using namespace hardhead::sq;

void query_of_24_bits(benchmark::State& state) {
  constexpr int n = 24;
  const Concept parity{"parity", 0b1011, [](Bits z) { return character(0b1011, z); }};
  const Query query{"bits over 32", Range::signed_unit, all_bits(n),
                    [](Bits z, int) { return __builtin_popcount(z) / 32.0; }};
  tbb::task_arena arena(static_cast<int>(state.range(0)));
  arena.execute([&] {
    const double copy = bench::copy_seconds(std::size_t{8} << n);
    const Stopwatch watch;
    for (auto _ : state)
      if (exact_mean(query, parity, n).value != Rational(3, 8))
        return state.SkipWithError("the mean is not 3/8");
    const double seconds = watch.seconds() / static_cast<double>(state.iterations());
    state.SetItemsProcessed(state.iterations() << n);
    state.counters["copies"] = seconds / copy;
  });
}

BENCHMARK(query_of_24_bits)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
