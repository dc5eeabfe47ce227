#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/numeric/rational.h"

namespace rc {

template <>
struct Arbitrary<hardhead::Integer> {
  /// Up to 60 digits, of either sign.
  static Gen<hardhead::Integer> arbitrary() {
    return gen::exec([] {
      hardhead::Integer out = 0;
      for (const int digit : *gen::resize(60, gen::container<std::vector<int>>(gen::inRange(0, 10))))
        out = 10 * out + digit;
      return *gen::arbitrary<bool>() ? hardhead::Integer(-out) : out;
    });
  }
};

template <>
struct Arbitrary<hardhead::Rational> {
  static Gen<hardhead::Rational> arbitrary() {
    return gen::exec([] {
      const auto above = *gen::arbitrary<hardhead::Integer>();
      const hardhead::Integer below = abs(*gen::arbitrary<hardhead::Integer>()) + 1;
      return hardhead::Rational(above, below);
    });
  }
};

}  // namespace rc

namespace hardhead {
namespace {

/// A finite double of any size, subnormal ones included.
double draw_double() {
  const auto mantissa = *rc::gen::inRange<std::int64_t>(-(1LL << 53) + 1, 1LL << 53);
  return std::ldexp(static_cast<double>(mantissa), *rc::gen::inRange(-1100, 971));
}

bool has_even_mantissa(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);
  // Below 2^-1021 the last bit is worth 2^-1074, whatever the exponent.
  const double last = std::ldexp(fraction, std::min(53, exponent + 1074));
  return std::fmod(last, 2) == 0;
}

RC_GTEST_PROP(RationalProperties, ParseIsTheInverseOfToString, (const Rational& x)) {
  RC_ASSERT(parse_rational(to_string(x)) == x);
}

RC_GTEST_PROP(RationalProperties, FractionsNeedNotBeInLowestTerms,
              (const Integer& p, const Integer& q, const Integer& f)) {
  RC_PRE(q > 0 && f > 0);
  RC_ASSERT(parse_rational(Integer(p * f).str() + "/" + Integer(q * f).str()) == Rational(p, q));
  RC_ASSERT_THROWS_AS(parse_rational(p.str() + "/0"), InputError);
}

RC_GTEST_PROP(RationalProperties, ATextIsRefusedOrIsAFraction, ()) {
  const std::string text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123-/ +.e")));
  try {
    const Rational x = parse_rational(text);
    RC_ASSERT(parse_rational(to_string(x)) == x);
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).find(text) != std::string::npos);
  }
}

/// Asserts that no double is nearer to x, and that a tie went to the even one, by exact comparisons.
void assert_nearest(const Rational& x) {
  const double y = round_to_nearest(x);
  const Rational error = abs(x - Rational(y));
  for (const double end :
       {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}) {
    const double neighbour = std::nextafter(y, end);
    if (!std::isfinite(neighbour)) continue;
    const Rational other = abs(x - Rational(neighbour));
    RC_ASSERT(error <= other);
    if (error == other) RC_ASSERT(has_even_mantissa(y));
  }
}

RC_GTEST_PROP(RationalProperties, RoundingFindsTheNearestDouble, (const Rational& x)) {
  assert_nearest(x * power(2, *rc::gen::inRange(-1200, 700)));
}

RC_GTEST_PROP(RationalProperties, RoundingSendsMiddlesToTheEvenNeighbour, ()) {
  const double x = draw_double(), next = std::nextafter(x, std::numeric_limits<double>::infinity());
  RC_PRE(std::isfinite(next));
  const Rational middle = (Rational(x) + Rational(next)) / 2;
  assert_nearest(middle);
  RC_ASSERT(has_even_mantissa(round_to_nearest(middle)));
  const Rational little = (Rational(next) - Rational(x)) / 1'000'000;
  RC_ASSERT(round_to_nearest(middle - little) == x);
  RC_ASSERT(round_to_nearest(middle + little) == next);
}

RC_GTEST_PROP(RationalProperties, DoublesRoundToThemselves, ()) {
  const double x = draw_double();
  RC_ASSERT(round_to_nearest(Rational(x)) == x);
}

RC_GTEST_PROP(RationalProperties, RoundingIsOddAndMonotone, (const Rational& x, const Rational& y)) {
  RC_ASSERT(round_to_nearest(-x) == -round_to_nearest(x));
  RC_ASSERT((round_to_nearest(x) <= round_to_nearest(y)) || y < x);
}

RC_GTEST_PROP(RationalProperties, WhatIsBeyondTheLargestDoubleIsRefused, (const Integer& excess)) {
  // 2^1024 - 2^970 is the middle between the largest double and what would be the next.
  const Rational limit = power(2, 1024) - power(2, 970);
  const Rational more(Integer(abs(excess)));
  RC_ASSERT_THROWS_AS(round_to_nearest(limit + more), InputError);
  RC_ASSERT(round_to_nearest(limit - more - 1) == std::numeric_limits<double>::max());
}

RC_GTEST_PROP(RationalProperties, PowersAddTheirExponents, (const Rational& x)) {
  RC_PRE(x != 0);
  const long a = *rc::gen::inRange(-9, 10), b = *rc::gen::inRange(-9, 10);
  RC_ASSERT(power(x, a) * power(x, b) == power(x, a + b));
  RC_ASSERT(power(x, 1) == x);
}

RC_GTEST_PROP(RationalProperties, BinomialsAreThoseOfPascal, ()) {
  const auto n = *rc::gen::inRange<unsigned long>(1, 300), r = *rc::gen::inRange<unsigned long>(1, 300);
  RC_ASSERT(binomial(n, r) == binomial(n - 1, r - 1) + binomial(n - 1, r));
  RC_ASSERT(binomial(n, 0) == 1);
}

}  // namespace
}  // namespace hardhead
