#include <gtest/gtest.h>

#include "sq/concepts/parities.h"
#include "sq/dimension/member_pairs.h"
#include "sq/dimension/parity_bound.h"
#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

// All queries of values -1 and +1 where the switch is on, which are the extreme ones: means are linear in
// phi.
TEST(DetectionBound, IsMetByNoQueryOfSigns) {
  const int d = 3;
  for (const int m : {1, 2}) {
    const Parities members = Parities::behind_switch(d, m);
    const MemberPairs pairs = parity_pairs(d, m);
    for (const Rational& tau : {Rational(1, 10), Rational(1, 4), Rational(2, 5)}) {
      const Rational share = 1 / detection_bound(pairs, tau);
      for (int phi = 0; phi < 1 << 8; ++phi) {  // a sign for each of 4 points with the switch on and 2 labels
        std::int64_t told = 0;
        for (const Bits set : members.sets()) {
          int sum = 0;  // of (phi(z, y) - phi(z, -y)) / 2, y = chi_S(z)
          for (int z = 0; z < 4; ++z) {
            const int y = character(set, static_cast<Bits>(z));
            const int plus = (phi >> (2 * z) & 1) != 0 ? 1 : -1,
                      minus = (phi >> (2 * z + 1) & 1) != 0 ? 1 : -1;
            sum += y * (plus - minus) / 2;
          }
          told += abs(Rational(sum, 8)) > tau ? 1 : 0;
        }
        EXPECT_LE(Rational(told, members.size()), share) << m << " " << phi;
      }
    }
  }
}

TEST(DetectionBound, OfParitiesIsTheOneWithAProofOfItsOwnUpToItsLastTerm) {
  const Rational tau(1, 10);
  EXPECT_EQ(detection_bound(parity_pairs(20, 6), tau),
            parity_query_bound({.d = 20, .m = 6}, tau) + 4 * tau * tau);
}

TEST(DetectionBound, RefusesByName) {
  expect_refusal([] { detection_bound(parity_pairs(8, 2), Rational(3, 4)); }, "tau=3/4");
  expect_refusal([] { detection_bound(MemberPairs{{{0, 1}}}, Rational(1, 4)); }, "no two members correlate");
}

}  // namespace
}  // namespace hardhead::sq
