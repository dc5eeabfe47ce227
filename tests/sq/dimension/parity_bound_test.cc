#include "sq/dimension/parity_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "base/error.h"
#include "base/numeric/random.h"
#include "tests/refusal.h"

namespace hardhead::sq {
namespace {

TEST(ParityQueryBound, IsTheStatedFormulaExactly) {
  const ParityGoal goal{.d = 20, .m = 6, .alpha = 1, .delta = Rational(1, 2)};
  EXPECT_EQ(goal.members(), 27132);
  EXPECT_EQ(parity_query_bound(goal, Rational(1, 10)), Rational(5426, 5));
  EXPECT_EQ(parity_query_bound(goal, Rational(1, 2)), 27130);
  const ParityGoal half{.d = 20, .m = 6, .alpha = Rational(1, 2), .delta = Rational(1, 20)};
  EXPECT_EQ(parity_query_bound(half, Rational(1, 100)), Rational(4, 10000) * (13566 - 20));
}

TEST(ParityQueryBound, IsZeroWhereItSaysNothing) {
  EXPECT_EQ(parity_query_bound({.d = 4, .m = 3, .alpha = 1, .delta = Rational(1, 2)}, Rational(1, 4)), 0);
}

TEST(ParityQueryBound, IsExactWhereDoublesOverflow) {
  const ParityGoal goal{.d = 4097, .m = 2048, .alpha = 1, .delta = 1};
  EXPECT_EQ(parity_query_bound(goal, Rational(1, 4)), Rational(binomial(4096, 2048) - 1) / 4);
}

/// 2^d times bhat(S) for every S without the switch (the last bit of z), where b(z) is the mean of half the
/// difference of a query in [-1,1] at the two labels: any function into [-1,1], 0 with the switch off.
std::vector<long> coefficients(const std::vector<int>& b, int d) {
  std::vector<long> out;
  for (unsigned s = 0; s < (1u << (d - 1)); ++s) {
    long sum = 0;
    for (unsigned z = 0; z < b.size(); ++z) sum += b[z] * (std::popcount(z & s) % 2 == 0 ? 1 : -1);
    out.push_back(sum);
  }
  return out;
}

TEST(ParityQueryBound, RestsOnAParsevalSumOfAtMostAQuarterForEveryQuery) {
  constexpr int d = 8;
  for (std::uint64_t item = 0; item < 20; ++item) {
    std::vector<double> signs(1u << d);
    Stream(Domain::test, 1, "sq").signs(item, signs);
    std::vector<int> b(1u << d, 0);
    for (unsigned z = 1u << (d - 1); z < b.size(); ++z) b[z] = static_cast<int>(signs[z]);
    const auto hat = coefficients(b, d);
    Integer squares = 0;
    for (const long c : hat) squares += Integer(c) * c;
    EXPECT_LE(Rational(squares, Integer(1) << (2 * d)), Rational(1, 4));
    for (const Rational& tau : {Rational(1, 4), Rational(1, 10), Rational(1, 16), Rational(1, 50)}) {
      long beyond = 0;
      for (const long c : hat) beyond += Rational(std::abs(c), 1L << d) > tau ? 1 : 0;
      EXPECT_LT(Rational(beyond), 1 / (4 * tau * tau));
    }
  }
}

TEST(ParityQueryBound, IsTightForTheSignOfTheLabelTimesAMembersCharacter) {
  constexpr int d = 8;
  constexpr unsigned member = 0b0101101;
  std::vector<int> b(1u << d, 0);
  for (unsigned z = 1u << (d - 1); z < b.size(); ++z) b[z] = std::popcount(z & member) % 2 == 0 ? 1 : -1;
  const auto hat = coefficients(b, d);
  for (unsigned s = 0; s < hat.size(); ++s) EXPECT_EQ(hat[s], s == member ? 1L << (d - 1) : 0L);
}

TEST(ParityQueryBound, RefusesEachArgumentOutOfRange) {
  const auto refuses = [](const ParityGoal& goal, const Rational& tau, const char* text) {
    EXPECT_THAT(refusal_of([&] { parity_query_bound(goal, tau); }), testing::HasSubstr(text));
  };
  const Rational tau(1, 10);
  refuses({}, 0, "tau=0 is not positive");
  refuses({}, Rational(51, 100), "tau=51/100 is more than 1/2");
  refuses({.d = 1, .m = 1}, tau, "d=1 is not in 2 ..");
  refuses({.d = 20, .m = 0}, tau, "m=0 is not in 1 .. d-1=19");
  refuses({.d = 20, .m = 20}, tau, "m=20 is not in 1 .. d-1=19");
  refuses({.alpha = 0}, tau, "alpha=0 is not in (0, 1]");
  refuses({.alpha = Rational(3, 2)}, tau, "alpha=3/2");
  refuses({.delta = 0}, tau, "delta=0 is not in (0, 1]");
  refuses({.delta = 2}, tau, "delta=2");
  refuses({}, Rational(-1, 3), "tau=-1/3 is not positive");
}

}  // namespace
}  // namespace hardhead::sq
