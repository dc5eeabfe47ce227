#pragma once
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "base/numeric/int128.h"

/// Numbers in fixed point for labels near a hard layer: sums and products of them are integers, so that only
/// the sigmoid has an error.
namespace hardhead::hardness {

/// An integer of 256 bits and a sign. As a number in fixed point of n bits it stands for value * 2^-n.
using FixedPoint = boost::multiprecision::int256_t;

/// A sum of products, exact where it is below 2^255 in size.
class ProductSum {
 public:
  /// Adds factor * value.
  void add(UnsignedInt128 factor, Int128 value) {
    const UnsignedInt128 size =
        value < 0 ? -static_cast<UnsignedInt128>(value) : static_cast<UnsignedInt128>(value);
    const UnsignedInt128 f[] = {low_half(factor), factor >> 64}, s[] = {low_half(size), size >> 64};
    const UnsignedInt128 first = f[0] * s[0], second = f[0] * s[1], third = f[1] * s[0],
                         middle = (first >> 64) + low_half(second) + low_half(third),
                         low = (middle << 64) + low_half(first),
                         high = f[1] * s[1] + (second >> 64) + (third >> 64) + (middle >> 64);
    if (value < 0) {
      high_ -= high + (low_ < low ? 1 : 0);
      low_ -= low;
    } else {
      low_ += low;
      high_ += high + (low_ < low ? 1 : 0);
    }
  }

  /// The sum.
  FixedPoint value() const {
    const bool negative = (high_ >> 127) != 0;
    const UnsignedInt128 low = negative ? -low_ : low_,
                         high = negative ? ~high_ + (low_ == 0 ? 1 : 0) : high_;
    const FixedPoint size = (FixedPoint(high) << 128) + FixedPoint(low);
    return negative ? FixedPoint(-size) : size;
  }

 private:
  static UnsignedInt128 low_half(UnsignedInt128 number) { return static_cast<std::uint64_t>(number); }

  UnsignedInt128 low_ = 0, high_ = 0;  // in two's complement
};

/// Bits after the point of what `sigmoid` takes and gives.
inline constexpr int sigmoid_bits = 127;

/// 1 / (1 + exp(-x)), with an error below 2^-123. Reads exp off four tables, of the bits of |x| above 2^-24,
/// and takes five terms of its series for the rest, which is below: what they leave out is under 2^-126.
FixedPoint sigmoid(const FixedPoint& x);

/// The double that is nearest to value * 2^-bits, ties to even; 0 is +0.0. For 0 <= bits <= 900.
double nearest_double(const FixedPoint& value, int bits);

}  // namespace hardhead::hardness
