#include "hardness/smoothed/fixed_point.h"

#include <array>
#include <cmath>

#include "hardness/gadget/certified_rounding.h"

namespace hardhead::hardness {
namespace {

constexpr int table_bits = 8, tables = 4;

FixedPoint one() {
  return FixedPoint(1) << sigmoid_bits;
}

FixedPoint product(const FixedPoint& a, const FixedPoint& b) {
  return (a * b) >> sigmoid_bits;
}

/// exp(-j 2^(-8 t)), j = 0 .. 255, for t = 0 .. 3.
struct Exponentials {
  std::array<std::array<FixedPoint, 1 << table_bits>, tables> of;

  Exponentials() {
    using Real = RealOf<60>;
    for (int t = 0; t < tables; ++t)
      for (int j = 0; j < 1 << table_bits; ++j) {
        const Real value = exp(-ldexp(Real(j), -table_bits * t));
        of[static_cast<std::size_t>(t)][static_cast<std::size_t>(j)] =
            round(ldexp(value, sigmoid_bits)).convert_to<FixedPoint>();
      }
  }
};

/// exp(-x) for x >= 0. Below 2^-127, half a unit, from x = 128 on.
FixedPoint exp_of_minus(const FixedPoint& x) {
  if ((x >> (sigmoid_bits + 7)) != 0) return 0;
  static const Exponentials table;
  const auto entry = [&](int t) {
    const auto at = static_cast<std::size_t>(x >> (sigmoid_bits - table_bits * t)) % (1 << table_bits);
    return table.of[static_cast<std::size_t>(t)][at];
  };
  const FixedPoint rest = x & ((FixedPoint(1) << (sigmoid_bits - table_bits * (tables - 1))) - 1);
  FixedPoint series = one();
  for (int term = 4; term >= 1; --term) series = one() - product(rest, series) / term;
  FixedPoint out = series;
  for (int t = 0; t < tables; ++t) out = product(out, entry(t));
  return out;
}

}  // namespace

FixedPoint sigmoid(const FixedPoint& x) {
  const FixedPoint e = exp_of_minus(x < 0 ? FixedPoint(-x) : x);
  return ((x < 0 ? e : one()) << sigmoid_bits) / (one() + e);
}

double nearest_double(const FixedPoint& value, int bits) {
  if (value == 0) return 0;
  const FixedPoint size = abs(value);
  // 64 bits and whether any below them is set: converting these rounds as converting all of them does.
  const int below = std::max(0, static_cast<int>(msb(size)) - 63);
  auto leading = static_cast<std::uint64_t>(size >> below);
  if (below > 0 && static_cast<int>(lsb(size)) < below) leading |= 1;
  const double out = std::ldexp(static_cast<double>(leading), below - bits);
  return value < 0 ? -out : out;
}

}  // namespace hardhead::hardness
