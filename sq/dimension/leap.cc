#include "sq/dimension/leap.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/error.h"
#include "base/numeric/walsh_hadamard.h"

namespace hardhead::sq {
namespace {

/// The sets but {} where the transform of `values` is not 0.
void add_support(std::vector<std::int64_t> values, std::set<Bits>& sets) {
  checked_walsh_hadamard(values);
  for (std::size_t s = 1; s < values.size(); ++s)
    if (values[s] != 0) sets.insert(static_cast<Bits>(s));
}

int leap_of(const std::set<Bits>& sets) {
  return sq::leap_of(std::vector<Bits>(sets.begin(), sets.end()));
}

/// What sets with at most k new bits each reach.
Bits reached(std::span<const Bits> sets, int k) {
  Bits known = 0, before = 0;
  do {
    before = known;
    for (const Bits s : sets)
      if (std::popcount(s & ~known) <= k) known |= s;
  } while (known != before);
  return known;
}

}  // namespace

int leap_of(std::span<const Bits> detectable) {
  Bits all = 0;
  for (const Bits s : detectable) all |= s;
  int k = 0;
  while (reached(detectable, k) != all) ++k;
  return k;
}

Leaps leaps(std::span<const std::int64_t> values) {
  constexpr std::size_t most = std::size_t{1} << max_leap_bits;
  if (values.empty() || !std::has_single_bit(values.size()) || values.size() > most)
    throw InputError(fmt::format("leaps: {} values are not 2^m with m <= {}", values.size(), max_leap_bits));
  std::set<Bits> correlated, detectable;
  add_support({values.begin(), values.end()}, correlated);
  for (const std::int64_t level : std::set<std::int64_t>(values.begin(), values.end())) {
    std::vector<std::int64_t> indicator;
    for (const std::int64_t value : values) indicator.push_back(value == level ? 1 : 0);
    add_support(std::move(indicator), detectable);
  }
  return {.csq = leap_of(correlated), .sq = leap_of(detectable)};
}

}  // namespace hardhead::sq
