#include "sq/concepts/enumerate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

Concept parity(Bits s) {
  return {"parity", s, [s](Bits z) { return character(s, z); }};
}

Query query(Bits sees, std::function<double(Bits, int)> value, Range range = Range::signed_unit) {
  return {"test", range, sees, std::move(value)};
}

TEST(Enumerate, DepositAndExtractAreInverse) {
  constexpr Bits mask = 0b1011'0010'0110;
  Bits before = 0;
  for (std::uint64_t i = 0; i < 64; ++i) {
    const Bits z = deposit(i, mask);
    EXPECT_EQ(z & ~mask, 0u);
    EXPECT_EQ(extract(z, mask), i);
    EXPECT_TRUE(i == 0 || z > before);
    before = z;
  }
}

TEST(Enumerate, ALabelTimesItsOwnCharacterHasMeanOne) {
  constexpr Bits s = 0b10110;
  const auto phi = [](Bits t) { return query(t, [t](Bits z, int y) { return y * character(t, z); }); };
  EXPECT_EQ(exact_mean(phi(s), parity(s), 6).value, 1);
  EXPECT_EQ(exact_mean(phi(s ^ 1), parity(s), 6).value, 0);
  EXPECT_EQ(exact_mean(phi(s), parity(s), 6).charge, 0);
}

// phi = (number of bits of z) / 24 over 2^24 points, with labels that do not matter.
TEST(Enumerate, AQueryOf24BitsIsSummedOverAllItsInputs) {
  const Mean mean = exact_mean(query(all_bits(24), [](Bits z, int) { return __builtin_popcount(z) / 32.0; }),
                               parity(1), 24);
  EXPECT_EQ(mean.value, Rational(12, 32));
  EXPECT_EQ(mean.charge, 0);
}

// Against every point by itself, of random tables: values that are multiples of 1/64, labels -1, 0 and 1.
TEST(Enumerate, RandomQueriesOnRandomConceptsHaveTheMeanOfAllPoints) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Stream words(Domain::test, seed, "random queries");
    const int n = 1 + static_cast<int>(words.below(0, 9));
    const auto hash = [&](std::uint64_t item, std::uint64_t bound) {
      return words.below(1000 + item, bound);
    };
    const Bits seen = static_cast<Bits>(words.bits(1, 0)[0]) & all_bits(n);
    const Bits relevant = static_cast<Bits>(words.bits(2, 0)[0]) & all_bits(n);
    const auto label = [&](Bits z) { return static_cast<int>(hash(z & relevant, 3)) - 1; };
    const auto value = [&](Bits z, int y) {
      return (static_cast<double>(hash(10'000 + 3 * (z & seen) + static_cast<Bits>(y + 1), 129)) - 64) / 64;
    };
    Rational sum = 0;
    for (Bits z = 0; z <= all_bits(n); ++z) sum += Rational(value(z, label(z)));
    const Mean mean = exact_mean(query(seen, value), {"table", relevant, label}, n);
    EXPECT_EQ(mean.value, sum / (1 << n)) << "seed " << seed;
    EXPECT_EQ(mean.charge, 0);
  }
}

TEST(Enumerate, AValueOffTheGridIsChargedAndTheChargeCovers) {
  const Query third = query(1, [](Bits z, int) { return z == 0 ? 1.0 / 3 : 0.0; });
  const Mean mean = exact_mean(third, parity(2), 2);
  EXPECT_EQ(mean.charge, rounding_charge());
  // The double nearest to 1/3, exactly.
  const Rational truth = Rational(1.0 / 3) / 2;
  EXPECT_NE(mean.value, truth);
  EXPECT_LE(abs(mean.value - truth), mean.charge);
}

TEST(Enumerate, AQueryIsShownOnlyTheBitsItSees) {
  const Mean mean =
      exact_mean(query(0b01, [](Bits z, int) { return z == 0b01 || z == 0 ? 1.0 : -1.0; }), parity(0b10), 2);
  EXPECT_EQ(mean.value, 1);
}

TEST(Enumerate, NamesQueryPointAndValueOutOfRange) {
  const auto mean_of = [](double value, Range range) {
    return [=] {
      exact_mean({"tilted", range, 1, [=](Bits z, int) { return z == 0 ? 0.0 : value; }}, parity(1), 3);
    };
  };
  expect_refusal(mean_of(1.5, Range::signed_unit),
                 "query 'tilted' returned 1.5 at bits 0x1, label -1: its range is [-1, 1]");
  expect_refusal(mean_of(std::nan(""), Range::signed_unit), "returned nan");
  expect_refusal(mean_of(-std::numeric_limits<double>::infinity(), Range::signed_unit), "returned -inf");
  expect_refusal(mean_of(-0.25, Range::unit), "its range is [0, 1]");
  expect_refusal(mean_of(0.5, Range::bit), "its range is {0, 1}");
  EXPECT_NO_THROW(mean_of(-1, Range::signed_unit)());
}

TEST(Enumerate, RefusesDomainsPastTheLimitByNumber) {
  const Query one = query(1, [](Bits, int y) { return y; });
  expect_refusal([&] { exact_mean(one, parity(1), 25); }, "n=25 bits is not in 1 .. 24");
  expect_refusal([&] { exact_mean(one, parity(1), 0); }, "n=0");
  expect_refusal([&] { exact_mean(query(8, [](Bits, int) { return 0; }), parity(1), 3); },
                 "sees bits 0x8; the domain has 3");
  expect_refusal([&] { exact_mean(one, parity(8), 3); }, "concept 'parity' sees bits 0x8");
  expect_refusal([&] { exact_mean({"empty", Range::unit, 1, nullptr}, parity(1), 3); },
                 "query 'empty' has no value");
  const Concept wild{"wild", 1, [](Bits z) { return z == 0 ? 1 : 7; }};
  expect_refusal([&] { exact_mean(one, wild, 3); }, "concept 'wild' labels bits 0x1 with 7");
}

}  // namespace
}  // namespace hardhead::sq
