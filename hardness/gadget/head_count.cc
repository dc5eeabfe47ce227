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

/// The least M with 2^M - left_out >= roots.
std::int64_t log2_of_terms(std::int64_t roots, std::int64_t left_out) {
  std::int64_t heads = 0;
  while ((std::int64_t{1} << heads) - left_out < roots) ++heads;
  return heads;
}

}  // namespace

std::int64_t least_steps(std::span<const std::int64_t> g, Slopes slopes) {
  if (std::ranges::all_of(g, [&](std::int64_t value) { return value == g.front(); })) return 0;
  const std::int64_t most = most_roots(g);
  switch (slopes) {
    case Slopes::one:
      return most;
    case Slopes::chain:
      return most / 2 + 1;
    case Slopes::any:
      break;
  }
  return log2_of_terms(most, 1);
}

std::int64_t least_heads(std::span<const std::int64_t> g, Slopes slopes) {
  if (std::ranges::all_of(g, [](std::int64_t value) { return value == 0; })) return 0;
  const std::int64_t at_zero = roots(g, 0), any_level = least_steps(g, slopes);
  switch (slopes) {
    case Slopes::one:
      return std::max(at_zero + (at_zero % 2 == 0 ? 2 : 1), any_level);
    case Slopes::chain:
      return std::max(at_zero / 2 + 2, any_level);
    case Slopes::any:
      break;
  }
  return std::max(log2_of_terms(at_zero, 3), any_level);
}

}  // namespace hardhead::hardness
