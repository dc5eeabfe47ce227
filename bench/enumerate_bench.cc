// An arbitrary query over all 2^24 inputs, exactly: one core and two. The answer is known (mean 3/8) and checked.
#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include "sq/enumerate.h"

namespace {

using namespace hardhead;
using namespace hardhead::sq;

void query_of_24_bits(benchmark::State& state) {
  const Concept parity{"parity", 0b1011, [](Bits z) { return character(0b1011, z); }};
  const Query query{"bits over 32", Range::signed_unit, all_bits(24),
                    [](Bits z, int) { return __builtin_popcount(z) / 32.0; }};
  tbb::task_arena arena(static_cast<int>(state.range(0)));
  arena.execute([&] {
    for (auto _ : state)
      if (exact_mean(query, parity, 24).value != Rational(3, 8))
        return state.SkipWithError("the mean is not 3/8");
  });
}

BENCHMARK(query_of_24_bits)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
