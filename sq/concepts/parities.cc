#include "sq/concepts/parities.h"

#include <fmt/format.h>

#include <atomic>

#include "base/error.h"
#include "base/numeric/walsh_hadamard.h"
#include "sq/concepts/enumerate.h"

namespace hardhead::sq {
namespace {

std::vector<Bits> subsets_of_size(int n, int m) {
  check_bits("parities", n);
  if (m < 0 || m > n) throw InputError(fmt::format("parities: m={} is not in 0 .. {}", m, n));
  std::vector<Bits> out;
  for (Bits s = 0; s <= all_bits(n); ++s)
    if (__builtin_popcount(s) == m) out.push_back(s);
  return out;
}

}  // namespace

Parities::Parities(int n, std::vector<Bits> sets, std::optional<int> switch_bit)
    : n_(n), sets_(std::move(sets)), switch_(switch_bit) {
  check_bits("parities", n);
  if (sets_.empty()) throw InputError("parities: the family is empty");
  if (switch_ && (*switch_ < 0 || *switch_ >= n))
    throw InputError(fmt::format("parities: switch bit {} is not in 0 .. {}", *switch_, n - 1));
  for (const Bits s : sets_) {
    if ((s & ~all_bits(n)) != 0)
      throw InputError(fmt::format("parities: set {:#x} has bits past n={}", s, n));
    if ((s & switch_mask()) != 0)
      throw InputError(fmt::format("parities: set {:#x} holds the switch bit", s));
  }
}

Parities Parities::all(int n) {
  check_bits("parities", n);
  std::vector<Bits> sets(std::size_t{1} << n);
  for (Bits s = 0; s < sets.size(); ++s) sets[s] = s;
  return Parities(n, std::move(sets));
}

Parities Parities::subsets(int n, int m) {
  return Parities(n, subsets_of_size(n, m));
}

Parities Parities::behind_switch(int d, int m) {
  check_bits("parities behind a switch", d);
  return Parities(d, subsets_of_size(d - 1, m), d - 1);
}

Concept Parities::member(std::int64_t index) const {
  const Bits s = sets_[static_cast<std::size_t>(index)], on = switch_mask();
  return {fmt::format("parity {:#x}", s), s | on,
          [s, on](Bits z) { return (z & on) == on ? character(s, z) : 0; }};
}

ClassMeans Parities::means(const Query& query) const {
  const GridQuery phi(query, n_);
  const Bits on = switch_mask(), inner = query.sees & ~on;
  const int inner_bits = __builtin_popcount(inner);
  // Over inner bits, and over the switch: phi(z,+1) - phi(z,-1), 0 where it is off.
  std::vector<std::int64_t> difference(std::size_t{1} << inner_bits);
  std::atomic<bool> rounded = false;
  const auto block = [&](std::int64_t& null, std::uint64_t at, std::uint64_t count) {
    bool off_grid = false;
    for_points(inner, at, count, [&](Bits z) {
      const std::int64_t plus = phi.at(z | on, 1, off_grid), minus = phi.at(z | on, -1, off_grid);
      null += plus + minus;
      if (switch_) null += 2 * phi.at(z, 0, off_grid);
      difference[at++] = plus - minus;
    });
    if (off_grid) rounded = true;
  };
  ClassMeans out;
  out.null = sum_over_blocks<std::int64_t>(inner_bits, block);
  // At most 2^(24 + 1 + 32) in absolute sum: no overflow.
  walsh_hadamard(difference, inner_bits);
  out.exponent = inner_bits + (switch_ ? 1 : 0) + 1 + grid_bits;
  out.members.reserve(sets_.size());
  for (const Bits s : sets_)
    out.members.push_back(out.null + ((s & ~inner) == 0 ? difference[extract(s, inner)] : 0));
  if (rounded) out.charge = rounding_charge();
  return out;
}

std::int64_t Parities::correlation(std::int64_t f, std::int64_t g) const {
  // Enumerated where that is small, so that dimensions are computed rather than assumed; orthogonality of
  // characters beyond.
  const Bits together = sets_[static_cast<std::size_t>(f)] ^ sets_[static_cast<std::size_t>(g)];
  const std::int64_t half = switch_ ? 1 : 0;
  constexpr int enumerated_bits = 12;
  if (n_ > enumerated_bits) return together == 0 ? std::int64_t{1} << (n_ - half) : 0;
  std::int64_t sum = 0;
  for (Bits z = 0; z <= all_bits(n_); ++z)
    if ((z & switch_mask()) == switch_mask()) sum += character(together, z);
  return sum;
}

}  // namespace hardhead::sq
