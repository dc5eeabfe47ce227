#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "base/numeric/rational.h"
#include "base/text/enum_names.h"

/// Queries about labelled bits, and the dyadic grid on which their averages are exact.
namespace hardhead::sq {

/// A point of {-1,+1}^n: bit j is set where z_j = -1.
using Bits = std::uint32_t;

/// Most bits of a domain that is enumerated, everywhere in sq/: 2^24 points, 128 MiB of sums. Past it calls
/// are refused by number, or sampled where the caller asks for that (enumerate.h).
inline constexpr int max_bits = 24;

/// Throws InputError naming `what` and the limit unless 1 <= bits <= max_bits.
void check_bits(const char* what, std::int64_t bits);

/// The bits below n.
constexpr Bits all_bits(int n) {
  return static_cast<Bits>((std::uint64_t{1} << n) - 1);
}

/// (-1)^(number of common elements): the character chi_S at z.
constexpr int character(Bits s, Bits z) {
  return __builtin_parity(s & z) != 0 ? -1 : 1;
}

/// Values a query promises to stay in.
enum class Range {
  signed_unit,  ///< [-1, 1], as STAT asks
  unit,         ///< [0, 1], as VSTAT asks
  bit,          ///< {0, 1}, as 1-STAT asks
};

constexpr auto enum_names(Range) {
  return std::to_array<EnumName<Range>>(
      {{Range::signed_unit, "[-1, 1]"}, {Range::unit, "[0, 1]"}, {Range::bit, "{0, 1}"}});
}

/// A statistical query phi(z, y). y is -1 or +1, or 0 where the label says nothing (parities behind a
/// switch).
///
/// `value` is shown z & sees and nothing else, so that phi depends on those bits only *by construction*:
/// averages take 2^|sees| values of it, however many bits there are. It is called from several threads.
struct Query {
  std::string name;                                ///< for transcripts and messages
  Range range = Range::signed_unit;                ///< that its values stay in
  Bits sees = 0;                                   ///< bits that phi depends on
  std::function<double(Bits z, int label)> value;  ///< phi
};

/// Values are rounded to the nearest multiple of 2^-grid_bits: off by at most 2^-(grid_bits+1), and not at
/// all for the values -1, 0, 1. Sums over 2^24 points at two labels stay below 2^58.
inline constexpr int grid_bits = 32;

/// phi on the grid, and whether any of its values had to be rounded: a mean is then off by at most
/// rounding_charge, and oracles charge that to their tolerance.
class GridQuery {
 public:
  /// Throws InputError naming the query if it has no callable or sees bits past n.
  GridQuery(const Query& query, int n);

  /// phi(z, label) times 2^grid_bits. Throws InputError naming query, point, label and value if it is out of
  /// the query's range or not a number. `rounded` is set if the value was off the grid, and never cleared.
  std::int64_t at(Bits z, int label, bool& rounded) const {
    const double value = query_.value(z & query_.sees, label);
    if (!(value >= low_ && value <= 1)) refuse(z, label, value);
    const double scaled = value * static_cast<double>(std::int64_t{1} << grid_bits);
    // 1.5 * 2^52 + x has the integer nearest to x in its low bits, for |x| <= 2^51.
    const double nearest = (scaled + 0x1.8p52) - 0x1.8p52;
    rounded |= nearest != scaled;
    if (query_.range == Range::bit && value != 0 && value != 1) refuse(z, label, value);
    return static_cast<std::int64_t>(nearest);
  }

 private:
  [[noreturn]] void refuse(Bits z, int label, double value) const;

  const Query& query_;  // outlives this
  double low_;
};

/// 2^-(grid_bits+1).
const Rational& rounding_charge();

/// numerator / 2^exponent.
Rational dyadic(std::int64_t numerator, int exponent);

}  // namespace hardhead::sq
