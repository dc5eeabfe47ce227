#pragma once
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/run/run_context.h"

namespace hardhead::bench {

/// Seconds that one thread takes to copy this many bytes from one array to another: the best of several
/// rounds.
inline double copy_seconds(std::size_t bytes) {
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes);
  const std::size_t repeats = std::max<std::size_t>(1, (std::size_t{1} << 23) / bytes);
  double best = 1e9;
  for (int round = 0; round < 12; ++round) {
    const Stopwatch watch;
    for (std::size_t i = 0; i < repeats; ++i) {
      std::memcpy(to.data(), from.data(), bytes);
      benchmark::DoNotOptimize(to.data());
      benchmark::ClobberMemory();
    }
    best = std::min(best, watch.seconds() / static_cast<double>(repeats));
  }
  return best;
}

}  // namespace hardhead::bench
