#include "hardness/gadget/compact_heads.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hardhead::hardness {
namespace {

TEST(CompactHeads, AreProvedForUpTo32BitsAndFor64) {
  for (long m = 1; m <= 32; ++m) {
    const StepSum sum = compact_sum(m, 4);
    EXPECT_EQ(std::ssize(sum.w), m / 2 + 1);
    EXPECT_LT(sum.largest_weight(), 15 + 5 * m) << m;
    RecordProperty("m=" + std::to_string(m), sum.largest_weight().str(6));
  }
  EXPECT_EQ(std::ssize(compact_sum(64, 4).w), 33);
}

TEST(CompactHeads, AreProvedAtTheEndsOfTheirRange) {
  for (const std::int64_t base : {2, 11, 16})
    for (const long m : {1, 6, 64}) {
      const StepSum sum = compact_sum(m, base);
      EXPECT_EQ(std::ssize(sum.w), m / 2 + 1) << base;
      for (const Interval& place : sum.z)
        EXPECT_LT((place.high() - place.low()) / place.size(), ldexp(LongReal(1), -280)) << m << " " << base;
    }
}

TEST(CompactHeads, AreThoseThatWereFoundElsewhere) {
  // Solved in 60 digits by another program: B = 4, steps of slope 2 ln B, a ramp a tenth of it.
  EXPECT_EQ(compact_ratio(7, 4), 10);
  const StepSum seven = compact_sum(7, 4);
  EXPECT_NEAR(static_cast<double>(seven.w[0].middle()), 28.182024, 1e-6);
  EXPECT_NEAR(static_cast<double>(seven.w[1].middle()), -6.2264398, 1e-7);
  EXPECT_NEAR(static_cast<double>(seven.w[2].middle()), -6.6529297, 1e-7);
  EXPECT_NEAR(static_cast<double>(LongReal(-log(seven.z[1].middle()) / log(seven.v[1].middle()))), 1.7452806,
              1e-7);
  const StepSum three = compact_sum(3, 4);
  EXPECT_NEAR(static_cast<double>(three.w[0].middle()), 14.7310, 5e-5);
  EXPECT_NEAR(static_cast<double>(three.w[1].middle()), -12.2838, 5e-5);
}

TEST(CompactHeads, OfThreeBitsAreRational) {
  for (const std::int64_t base : {2, 3, 4, 16})
    for (const long m : {1, 2, 3}) {
      const auto exact = exact_compact_weights(m, base);
      ASSERT_TRUE(exact);
      const StepSum sum = compact_sum(m, base);
      ASSERT_EQ(exact->size(), sum.w.size());
      for (std::size_t i = 0; i < exact->size(); ++i)
        EXPECT_TRUE(sum.w[i].contains((*exact)[i])) << m << " " << base;
    }
  EXPECT_FALSE(exact_compact_weights(4, 4));
}

TEST(CompactHeads, AreSymmetric) {
  const StepSum sum = compact_sum(9, 4);
  for (std::size_t i = 1; i < sum.w.size(); ++i) {
    const Interval difference = sum.w[i] - sum.w[sum.w.size() - i];
    EXPECT_TRUE(difference.contains(0)) << i;
  }
  EXPECT_TRUE((sum.weight_sum() - sum.kappa * 2).contains(0));
}

TEST(CompactHeads, RefuseWhatIsOutOfRange) {
  EXPECT_THROW(compact_sum(0, 4), InputError);
  EXPECT_THROW(compact_sum(65, 4), InputError);
  EXPECT_THROW(compact_sum(4, 17), InputError);
  EXPECT_THROW(exact_compact_weights(3, 1), InputError);
}

}  // namespace
}  // namespace hardhead::hardness
