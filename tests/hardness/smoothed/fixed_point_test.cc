#include "hardness/smoothed/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "hardness/gadget/certified_rounding.h"

namespace hardhead::hardness {
namespace {

using Real = RealOf<90>;

Real real(const FixedPoint& value, int bits) {
  return ldexp(Real(value.str()), -bits);
}

TEST(FixedPoint, SigmoidIsWithinItsErrorOfThatInMuchMoreDigits) {
  std::mt19937_64 bits(5);
  std::vector<FixedPoint> at{0, 1, -1};
  for (int size = 60; size < 140; ++size)
    for (int i = 0; i < 20; ++i) {
      const FixedPoint whole = (FixedPoint(bits()) << 128) + (FixedPoint(bits()) << 64) + FixedPoint(bits());
      at.push_back((whole >> (192 - size)) * (i % 2 == 0 ? 1 : -1));
    }
  for (const int whole : {1, 127, 128, 129, 1000000})
    for (const int sign : {1, -1}) at.push_back((sign * FixedPoint(whole)) << sigmoid_bits);
  const Real error = ldexp(Real(1), -123);
  for (const FixedPoint& x : at) {
    const Real expected = 1 / (1 + exp(-real(x, sigmoid_bits)));
    EXPECT_LT(abs(real(sigmoid(x), sigmoid_bits) - expected), error) << x;
  }
}

TEST(FixedPoint, ProductSumIsTheSumOfProducts) {
  std::mt19937_64 bits(7);
  const auto number = [&](int size) { return ((UnsignedInt128{bits()} << 64) + bits()) >> (128 - size); };
  for (int set = 0; set < 200; ++set) {
    ProductSum sum;
    FixedPoint expected = 0;
    EXPECT_EQ(sum.value(), 0);
    for (int i = 0; i < 50; ++i) {
      const UnsignedInt128 factor = number(1 + static_cast<int>(bits() % 128));
      auto value = static_cast<Int128>(number(1 + static_cast<int>(bits() % 120)));
      if (bits() % 2 == 0) value = -value;
      sum.add(factor, value);
      expected += FixedPoint(factor) * FixedPoint(value);
      ASSERT_EQ(sum.value(), expected);
    }
  }
}

// Against MPFR, which rounds the whole number once.
TEST(FixedPoint, NearestDoubleRoundsOnce) {
  std::mt19937_64 bits(6);
  const auto check = [](const FixedPoint& value) {
    for (const FixedPoint& signed_value : {value, FixedPoint(-value)})
      EXPECT_EQ(nearest_double(signed_value, 217), static_cast<double>(real(signed_value, 217))) << value;
  };
  for (int size = 1; size <= 190; ++size)
    for (int i = 0; i < 20; ++i)
      check(((FixedPoint(bits()) << 128) + (FixedPoint(bits()) << 64) + FixedPoint(bits())) >> (192 - size));
  // The middle of two doubles, and its neighbours, as far as 256 bits see them.
  for (int i = 0; i < 50; ++i) {
    const FixedPoint middle = ((FixedPoint(bits() >> 12) << 1) + 1) << 150;
    for (const int off : {-1, 0, 1}) check(middle + off);
  }
  EXPECT_FALSE(std::signbit(nearest_double(0, 217)));
}

}  // namespace
}  // namespace hardhead::hardness
