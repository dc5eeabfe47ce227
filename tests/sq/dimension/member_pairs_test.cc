#include "sq/dimension/member_pairs.h"

#include <gtest/gtest.h>

#include "sq/concepts/parities.h"

namespace hardhead::sq {
namespace {

// rho(S, T) = E_Q[L_S L_T] - 1 over z and labels +-1, where L_S(z, y) = 2 P_S(y | z) if the switch is on.
Rational correlation_by_visiting(const Parities& members, std::size_t s, std::size_t t, int d,
                                 const Rational& noise) {
  const auto likelihood = [&](std::size_t member, Bits z, int y) -> Rational {
    return 2 * (character(members.sets()[member], z) == y ? 1 - noise : noise);
  };
  Rational total = 0;
  for (Bits z = 0; z < Bits{1} << d; ++z)
    for (const int y : {-1, 1})
      total += (z >> (d - 1) & 1) == 0 ? Rational(1) : likelihood(s, z, y) * likelihood(t, z, y);
  return total / Rational(Integer(2) << d) - 1;
}

TEST(MemberPairs, OfNoisyParitiesAreWhatVisitingAllExamplesGives) {
  constexpr int d = 5, m = 2;
  const Parities members = Parities::behind_switch(d, m);
  for (const Rational& noise : {Rational(0), Rational(1, 8), Rational(1, 2)}) {
    const MemberPairs pairs = noisy_parity_pairs(members.size(), noise);
    ASSERT_EQ(pairs.shares.size(), 2u);
    EXPECT_EQ(pairs.shares[0].correlation, correlation_by_visiting(members, 3, 3, d, noise));
    EXPECT_EQ(pairs.shares[1].correlation, correlation_by_visiting(members, 0, 3, d, noise));
    EXPECT_EQ(pairs.shares[0].share + pairs.shares[1].share, 1);
    EXPECT_EQ(pairs.largest_row, pairs.shares[0].correlation / members.size());
  }
}

}  // namespace
}  // namespace hardhead::sq
