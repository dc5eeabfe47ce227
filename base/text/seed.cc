#include "base/text/seed.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead {

std::uint64_t seed_of_run(std::uint64_t first, std::int64_t run) {
  constexpr auto most = static_cast<std::uint64_t>(most_seed);
  const auto number = static_cast<std::uint64_t>(run);
  if (first > most || number > most - first)
    throw InputError(fmt::format("run {} of seed {} on: seeds are integers in 0 .. {}", run, first, most));
  return first + number;
}

}  // namespace hardhead
