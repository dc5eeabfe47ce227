#include "base/numeric/interval.h"

#include <gtest/gtest.h>

#include "base/numeric/random.h"

namespace hardhead {
namespace {

/// Rationals of both signs and of sizes from 2^-300 to 2^300, 0 among them.
Rational drawn(const Stream& stream, std::uint64_t n) {
  const auto numerator = static_cast<std::int64_t>(stream.below(3 * n, 2001)) - 1000;
  const auto denominator = static_cast<std::int64_t>(stream.below(3 * n + 1, 997)) + 1;
  const auto exponent = static_cast<long>(stream.below(3 * n + 2, 601)) - 300;
  return Rational(numerator, denominator) * power(Rational(2), exponent);
}

TEST(Interval, OperationsContainTheExactResult) {
  const Stream stream(Domain::samples, 1, "intervals");
  for (std::uint64_t n = 0; n < 2000; ++n) {
    const Rational a = drawn(stream, 4 * n), b = drawn(stream, 4 * n + 1), c = drawn(stream, 4 * n + 2);
    const Interval x = Interval::around(a), y = Interval::around(b), z = Interval::around(c);
    EXPECT_TRUE((x + y).contains(a + b));
    EXPECT_TRUE((x - y * z).contains(a - b * c));
    if (b != 0) {
      EXPECT_TRUE((x / y).contains(a / b));
    }
  }
}

TEST(Interval, OfTwoNumbersContainsWhatLiesBetween) {
  const Stream stream(Domain::samples, 2, "intervals");
  const auto hull = [](const Rational& a, const Rational& b) {
    return Interval(Interval::around(std::min(a, b)).low(), Interval::around(std::max(a, b)).high());
  };
  for (std::uint64_t n = 0; n < 2000; ++n) {
    const Rational a = drawn(stream, 4 * n), b = drawn(stream, 4 * n + 1);
    const Rational c = drawn(stream, 4 * n + 2), d = drawn(stream, 4 * n + 3);
    const Interval x = hull(a, b), y = hull(c, d);
    const Rational t(static_cast<std::int64_t>(stream.below(100'000 + n, 101)), 100);
    const Rational p = a + t * (b - a), q = d + t * (c - d);
    EXPECT_TRUE((x * y).contains(p * q));
    if (y.is_positive()) {
      EXPECT_TRUE((x / y).contains(p / q));
    }
  }
}

TEST(Interval, AreAsNarrowAsTheirDigits) {
  const Interval third = Interval::around(Rational(1, 3));
  EXPECT_LT(third.low(), third.high());
  EXPECT_LT(third.high() - third.low(), ldexp(LongReal(1), -315));
  EXPECT_EQ(Interval::around(Rational(3, 4)).low(), Interval::around(Rational(3, 4)).high());
}

TEST(Interval, OfARootContainsWhoseTrueRootIsKnown) {
  for (const unsigned n : {1U, 2U, 7U, 20U}) {
    const Rational base(7, 5);
    const Interval root = Interval::around(power(base, static_cast<long>(n))).root(n);
    EXPECT_TRUE(root.contains(base)) << n;
    EXPECT_LT(root.high() - root.low(), ldexp(LongReal(1), -312));
  }
  const Interval two = Interval(2).root(2);
  EXPECT_LT(two.low(), two.high());
  EXPECT_TRUE((two * two).contains(2));
}

TEST(Interval, AQuotientByAnIntervalWithZeroProvesNothing) {
  const Interval zero(LongReal(-1), LongReal(1));
  const Interval quotient = Interval(1) / zero;
  EXPECT_FALSE(quotient.is_positive());
  EXPECT_FALSE(quotient.inside({LongReal(-1000), LongReal(1000)}));
  EXPECT_FALSE((quotient * 0 + 1).inside({LongReal(0), LongReal(2)}));
  EXPECT_FALSE((Interval(1) / Interval(0)).inside({LongReal(-1000), LongReal(1000)}));
  EXPECT_TRUE(Interval(1).inside({LongReal(0), LongReal(2)}));
  EXPECT_FALSE(Interval(1).inside({LongReal(1), LongReal(2)})) << "the interior";
}

}  // namespace
}  // namespace hardhead
