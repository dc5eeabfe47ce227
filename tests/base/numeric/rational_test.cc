#include "base/numeric/rational.h"

#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/error.h"
#include "base/numeric/random.h"

namespace hardhead {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double tiniest = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

Rational two_to(long e) {
  return power(2, e);
}

/// Whether |x - value| is least among doubles, ties to even, decided in rationals only.
bool is_nearest(const Rational& x, double value) {
  const Rational error = abs(x - Rational(value));
  for (const double direction : {-HUGE_VAL, HUGE_VAL}) {
    const double neighbour = std::nextafter(value, direction);
    if (!std::isfinite(neighbour)) continue;
    const Rational other = abs(x - Rational(neighbour));
    if (other < error) return false;
    if (other == error && (std::bit_cast<std::uint64_t>(value) & 1) != 0) return false;
  }
  return true;
}

TEST(Rational, RoundingKeepsEveryDouble) {
  for (const double x :
       {1.0, -0.1, 1e300, 1e-300, tiniest, -3 * tiniest, largest, std::numeric_limits<double>::min()})
    EXPECT_EQ(round_to_nearest(Rational(x)), x);
}

TEST(Rational, RoundingBreaksTiesToEven) {
  const Rational half_ulp = two_to(-53);
  EXPECT_EQ(round_to_nearest(1 + half_ulp), 1.0);
  EXPECT_EQ(round_to_nearest(1 + 3 * half_ulp), 1.0 + 0x1p-51);
  EXPECT_EQ(round_to_nearest(-1 - half_ulp), -1.0);
}

TEST(Rational, RoundingDoesNotTruncateAValueJustAboveHalfAnUlp) {
  const Rational just_above = two_to(-53) + two_to(-300);
  EXPECT_EQ(round_to_nearest(1 + just_above), 1.0 + 0x1p-52);
  EXPECT_EQ(round_to_nearest(1 + two_to(-53) - two_to(-300)), 1.0);
  EXPECT_EQ(round_to_nearest(1 - two_to(-54) - two_to(-300)), 1.0 - 0x1p-53);
}

TEST(Rational, SubnormalsAreRoundedOnce) {
  EXPECT_EQ(round_to_nearest(two_to(-1075)), 0.0);  // half the least double: to even
  EXPECT_EQ(round_to_nearest(two_to(-1075) + two_to(-2000)), tiniest);
  EXPECT_EQ(round_to_nearest(two_to(-1076)), 0.0);
  EXPECT_EQ(round_to_nearest(3 * two_to(-1075)), 2 * tiniest);
  // 53 bits first would give a tie of the 2nd rounding: 1.5 + 2^-60 units must go up to 2.
  EXPECT_EQ(round_to_nearest((Rational(5, 2) + two_to(-60)) * two_to(-1074)), 3 * tiniest);
  EXPECT_EQ(round_to_nearest((Rational(5, 2) - two_to(-60)) * two_to(-1074)), 2 * tiniest);
}

TEST(Rational, RoundingIsNearestForRandomFractions) {
  const Stream stream(Domain::test, 1);
  for (std::uint64_t item = 0; item < 20000; ++item) {
    const auto w = stream.bits(item, 0);
    const Rational x =
        Rational(Integer(w[0]), Integer(w[1] | 1)) * power(2, static_cast<long>(w[2] % 2100) - 1080);
    if (x >= Rational(largest)) continue;
    ASSERT_TRUE(is_nearest(x, round_to_nearest(x))) << to_string(x);
    ASSERT_EQ(round_to_nearest(-x), -round_to_nearest(x));
  }
}

TEST(Rational, ZeroIsPositive) {
  EXPECT_FALSE(std::signbit(round_to_nearest(Rational(0))));
}

TEST(Rational, BeyondTheLargestDoubleIsAnError) {
  EXPECT_THAT([] { round_to_nearest(two_to(1024)); },
              ThrowsMessage<InputError>(HasSubstr("no double near it")));
  EXPECT_THROW(round_to_nearest(-two_to(5000)), InputError);
}

TEST(Rational, TextRoundTripsInLowestTerms) {
  for (const char* text : {"0", "-17/9", "3", "123456789012345678901234567891/7"})
    EXPECT_EQ(to_string(parse_rational(text)), text);
  EXPECT_EQ(to_string(parse_rational("6/-4")), "-3/2");
}

TEST(Rational, TextThatIsNotARationalIsNamed) {
  for (const char* text : {"", "1/0", "1.5", "x", "1/", "/2", "1/2/3", "0x10"})
    EXPECT_THAT([&] { parse_rational(text); },
                ThrowsMessage<InputError>(HasSubstr(std::string("'") + text + "'")))
        << text;
}

TEST(Rational, IsRoundedDownAndUpToIntegers) {
  for (const auto& [x, down, up] : {std::tuple{Rational(7, 2), 3, 4},
                                    {Rational(-7, 2), -4, -3},
                                    {Rational(-1, 3), -1, 0},
                                    {Rational(5), 5, 5},
                                    {Rational(-5), -5, -5}}) {
    EXPECT_EQ(floor_of(x), down) << to_string(x);
    EXPECT_EQ(ceil_of(x), up) << to_string(x);
  }
}

TEST(Rational, PowerTakesNegativeExponentsAndSigns) {
  EXPECT_EQ(power(Rational(-2, 3), 3), Rational(-8, 27));
  EXPECT_EQ(power(Rational(-2, 3), -3), Rational(-27, 8));
  EXPECT_EQ(power(Rational(-2, 3), 0), 1);
}

TEST(Rational, BinomialsSatisfyPascalsRule) {
  for (unsigned long n = 1; n < 70; ++n)
    for (unsigned long r = 1; r <= n; ++r)
      ASSERT_EQ(binomial(n, r), binomial(n - 1, r - 1) + binomial(n - 1, r));
  EXPECT_EQ(binomial(5, 6), 0);
}

}  // namespace
}  // namespace hardhead
