#include "hardness/gadget/head_count.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace hardhead::hardness {
namespace {

/// Z(c), for twice c: so that c may lie between two integers.
std::int64_t roots(std::span<const std::int64_t> g, std::int64_t twice_c) {
  std::int64_t total = 0, run = 0;
  std::optional<bool> above;  // g > c at the last h where g is not c
  for (const std::int64_t value : g) {
    if (2 * value == twice_c) {
      ++run;
      continue;
    }
    const bool now = 2 * value > twice_c;
    const bool odd = above && *above != now;
    total += run + (above && (run % 2 != 0) != odd ? 1 : 0);
    run = 0;
    above = now;
  }
  return total + run;
}

/// Twice every c that can have the most roots: the values of g, and what lies between two next to each other.
std::vector<std::int64_t> levels_to_try(std::span<const std::int64_t> g) {
  const std::set<std::int64_t> values(g.begin(), g.end());
  std::vector<std::int64_t> out;
  for (auto at = values.begin(); at != values.end(); ++at) {
    if (at != values.begin()) out.push_back(*std::prev(at) + *at);
    out.push_back(2 * *at);
  }
  return out;
}

std::int64_t most_roots(std::span<const std::int64_t> g) {
  std::int64_t most = 0;
  for (const std::int64_t twice_c : levels_to_try(g)) most = std::max(most, roots(g, twice_c));
  return most;
}

}  // namespace

std::int64_t least_steps(std::span<const std::int64_t> g) {
  const bool constant = std::ranges::all_of(g, [&](std::int64_t value) { return value == g.front(); });
  return constant ? 0 : most_roots(g);
}

std::int64_t least_heads(std::span<const std::int64_t> g) {
  if (std::ranges::all_of(g, [](std::int64_t value) { return value == 0; })) return 0;
  const std::int64_t at_zero = roots(g, 0);
  return std::max(at_zero + (at_zero % 2 == 0 ? 2 : 1), most_roots(g));
}

}  // namespace hardhead::hardness
