// The Walsh-Hadamard transform of int64, in place: on one core and on all, single arrays and batches, beside
// a copy of the same array in the same run. Counter copies: its time in units of that copy's (best of
// several). `pass` goes once through the memory of a single array and adds 1 to each entry: what the
// machine's two cores can gain.
#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <vector>

#include "base/numeric/random.h"
#include "base/numeric/walsh_hadamard.h"
#include "base/run/parallel.h"
#include "bench/memory_copy.h"

namespace {

using namespace hardhead;
using Array = std::vector<std::int64_t>;
using Clock = std::chrono::steady_clock;

// Small entries, so that 2^24 of them cannot overflow.
Array entries(std::size_t size) {
  const Stream stream(Domain::test, 1, "walsh-hadamard");
  Array x(size);
  for (std::size_t i = 0; i < size; i += 4) {
    const auto bits = stream.bits(i / 4, 0);
    for (std::size_t j = 0; j < std::min<std::size_t>(4, size - i); ++j)
      x[i + j] = static_cast<std::int64_t>(bits[j] >> 40) - (1 << 23);
  }
  return x;
}

// y[S] by its sum, at some S.
bool right(const Array& x, const Array& y) {
  const Stream stream(Domain::test, 2, "walsh-hadamard");
  for (std::uint64_t item = 0; item < 4; ++item) {
    const std::uint64_t s = item == 0 ? x.size() - 1 : stream.below(item, x.size());
    std::int64_t sum = 0;
    for (std::uint64_t z = 0; z < x.size(); ++z) sum += __builtin_parityll(s & z) != 0 ? -x[z] : x[z];
    if (sum != y[s]) return false;
  }
  return true;
}

// The transform is run on its own result again and again: entries wrap after a while, which costs nothing.
void transforms(benchmark::State& state, int n, std::size_t arrays, int threads) {
  const Array x = entries(arrays << n);
  Array y = x;
  tbb::task_arena arena(threads);
  arena.execute([&] {
    walsh_hadamard(y, n);
    const std::size_t size = std::size_t{1} << n;
    for (const std::size_t i : {std::size_t{0}, arrays - 1}) {
      const auto part = [&](const Array& a) {
        return Array(a.begin() + static_cast<std::ptrdiff_t>(i * size),
                     a.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
      };
      if (!right(part(x), part(y))) return state.SkipWithError("a transform disagrees with its sum");
    }
    const double copy = bench::copy_seconds(8 * x.size());
    double best = 1e9;
    for (auto _ : state) {
      const auto start = Clock::now();
      walsh_hadamard(y, n);
      benchmark::DoNotOptimize(y.data());
      best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    state.counters["best_us"] = best * 1e6;
    state.counters["copies"] = best / copy;
  });
}

void single(benchmark::State& state) {
  transforms(state, static_cast<int>(state.range(0)), 1, static_cast<int>(state.range(1)));
}
void batch(benchmark::State& state) {
  transforms(state, static_cast<int>(state.range(0)), std::size_t{1} << 12, static_cast<int>(state.range(1)));
}

void pass(benchmark::State& state) {
  const std::size_t size = std::size_t{1} << state.range(0), block = std::size_t{1} << 14;
  Array y(size);
  tbb::task_arena arena(static_cast<int>(state.range(1)));
  arena.execute([&] {
    for (auto _ : state) {
      parallel_for_each_index(static_cast<std::int64_t>(size / block), [&](std::int64_t task) {
        std::int64_t* const part = y.data() + static_cast<std::size_t>(task) * block;
        for (std::size_t i = 0; i < block; ++i) ++part[i];
      });
      benchmark::DoNotOptimize(y.data());
    }
  });
  if (y.front() != state.iterations() || y.back() != state.iterations())
    return state.SkipWithError("an entry was left out");
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * 8 * size));
}

BENCHMARK(single)->ArgNames({"n", "threads"})->ArgsProduct({{10, 12, 16, 20, 22, 24}, {1, 2}})->UseRealTime();
BENCHMARK(pass)->ArgNames({"n", "threads"})->ArgsProduct({{20, 22, 24}, {1, 2}})->UseRealTime();
BENCHMARK(batch)->ArgNames({"n", "threads"})->ArgsProduct({{10}, {1, 2}})->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
