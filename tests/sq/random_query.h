#pragma once
#include "base/numeric/random.h"
#include "sq/query/query.h"

namespace hardhead::sq {

/// Query `item` of a stream of queries of every sort, for checking oracles: on random subsets of n bits,
/// characters times the label, thresholds, and tables of reals that are not on the grid (range bit: rounded
/// to 0 and 1).
inline Query random_query(const Stream& stream, std::uint64_t item, Range range, int n) {
  const auto bits = stream.bits(item, 0);
  const Bits sees = static_cast<Bits>(bits[0]) & all_bits(n);
  const Bits s = static_cast<Bits>(bits[1]) & sees;
  // From [0, 1] to the range.
  const auto fit = [range](double u) {
    if (range == Range::signed_unit) return 2 * u - 1;
    return range == Range::unit ? u : static_cast<double>(u >= 0.5);
  };
  switch (bits[3] % 3) {
    case 0:
      return {"character", range, sees, [=](Bits z, int y) { return fit((1 + y * character(s, z)) / 2.0); }};
    case 1:
      return {"threshold", range, sees,
              [=](Bits z, int y) { return fit(__builtin_popcount(z) + y > 2 ? 1 : 0); }};
    default:
      return {"table", range, sees, [=, key = bits[2]](Bits z, int y) {
                // Multiplicative hashing: any fixed table would do.
                const std::uint64_t mixed =
                    (key ^ (z * 0x9E3779B97F4A7C15u) ^ static_cast<unsigned>(y + 1)) * 0xD1342543DE82EF95u;
                return fit(static_cast<double>(mixed >> 11) * 0x1p-53);
              }};
  }
}

}  // namespace hardhead::sq
