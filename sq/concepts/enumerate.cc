#include "sq/concepts/enumerate.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::sq {
namespace {

struct GridSum {
  std::int64_t value = 0;
  bool rounded = false;
  GridSum& operator+=(const GridSum& other) {
    value += other.value;
    rounded |= other.rounded;
    return *this;
  }
};

}  // namespace

int checked_label(const Concept& f, Bits z) {
  const int label = f.label(z & f.sees);
  if (label < -1 || label > 1)
    throw InputError(
        fmt::format("concept '{}' labels bits {:#x} with {}: -1, 0 or 1 is expected", f.name, z, label));
  return label;
}

Mean exact_mean(const Query& query, const Concept& f, int n) {
  check_bits("exact mean", n);
  if ((f.sees & ~all_bits(n)) != 0)
    throw InputError(fmt::format("concept '{}' sees bits {:#x}; the domain has {} bits", f.name, f.sees, n));
  const GridQuery phi(query, n);
  const Bits mask = query.sees | f.sees;
  const int bits = __builtin_popcount(mask);
  const auto sum =
      sum_over_blocks<GridSum>(bits, [&](GridSum& partial, std::uint64_t first, std::uint64_t count) {
        for_points(mask, first, count,
                   [&](Bits z) { partial.value += phi.at(z, checked_label(f, z), partial.rounded); });
      });
  return {dyadic(sum.value, grid_bits + bits), sum.rounded ? rounding_charge() : Rational(0)};
}

}  // namespace hardhead::sq
