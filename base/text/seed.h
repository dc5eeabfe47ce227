#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "base/error.h"

/// Seeds, in flags, specs, files and Python: integers in 0 .. 2^63 - 1, which TOML and JSON readers hold,
/// too.
namespace hardhead {

/// The largest seed.
inline constexpr std::int64_t most_seed = std::numeric_limits<std::int64_t>::max();
/// The end of the range in a table of parameters, which are real numbers: 2^63, and no integer is above it.
inline constexpr double seed_end = 9223372036854775808.0;

/// The seed of run 0, 1, .. of a series: first + run. Throws InputError where that is beyond most_seed.
inline std::uint64_t seed_of_run(std::uint64_t first, std::int64_t run) {
  constexpr auto most = static_cast<std::uint64_t>(most_seed);
  const auto number = static_cast<std::uint64_t>(run);
  if (first > most || number > most - first)
    throw InputError(fmt::format("run {} of seed {} on: seeds are integers in 0 .. {}", run, first, most));
  return first + number;
}

}  // namespace hardhead
