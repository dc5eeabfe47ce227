#include "hardness/gadget/alternating_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "hardness/gadget/interpolation.h"

namespace hardhead::hardness {
namespace {

using Ends = AlternatingGoal::Ends;

/// Steps of slope v = B^2 at half-integers next to those of minimal_steps(), whose weights are rational.
StepSum minimal_start(long m, std::int64_t base) {
  StepSum out;
  for (long i = 0; i < m; ++i) {
    out.v.push_back(Interval::around(power(Rational(base), 2)));
    out.z.push_back(Interval::around(power(Rational(base), -(2 * i + 1))));
    out.w.emplace_back(i % 2 == 0 ? 1 : -1);
  }
  return out;
}

TEST(AlternatingSum, WithGivenPlacesIsThatOfTheExactInterpolation) {
  for (const long m : {1, 2, 5, 8}) {
    std::vector<Rational> g;
    for (long h = 0; h <= m; ++h) g.emplace_back(h % 2 == 0 ? 1 : -1);
    const StepWeights exact = minimal_steps(g, 4);
    const AlternatingGoal goal{.m = m};
    const auto near = refined(minimal_start(m, 4), goal);
    ASSERT_TRUE(near) << m;
    const auto sum = proved(*near, goal);
    ASSERT_TRUE(sum) << m;
    for (std::size_t i = 0; i < exact.weights.size(); ++i) {
      EXPECT_TRUE(sum->w[i].contains(exact.weights[i])) << m << " " << i;
      EXPECT_LT(sum->w[i].high() - sum->w[i].low(), ldexp(LongReal(1), -265));
    }
    EXPECT_TRUE(sum->kappa.contains(exact.offset));
  }
}

TEST(AlternatingSum, IsNotProvedWhereThereIsNone) {
  // Two heads hide at most three bits, whatever their slopes.
  StepSum start;
  start.v = {Interval(3), Interval(200)};
  start.z = {Interval(LongReal(0.11)), Interval(LongReal(0.0001))};
  start.w = {Interval(20), Interval(-5)};
  for (const Ends ends : {Ends::free, Ends::zero}) {
    const AlternatingGoal goal{.m = 4, .ends = ends};
    const auto near = refined(start, goal);
    EXPECT_FALSE(near && proved(*near, goal));
    EXPECT_FALSE(proved(start, goal));
  }
}

TEST(AlternatingSum, IsNotProvedAwayFromASolution) {
  const AlternatingGoal goal{.m = 5};
  StepSum near = *refined(minimal_start(5, 4), goal);
  ASSERT_TRUE(proved(near, goal));
  near.w[2] = near.w[2] + Interval(ldexp(LongReal(1), -100));
  const auto linear = proved(near, goal);  // a linear system: any box around the solution is one
  ASSERT_TRUE(linear);
}

/// A ramp and two steps that mirror each other, near those of compact_heads.h.
StepSum odd_start() {
  StepSum out;
  out.v = {Interval(2), Interval(256), Interval(256)};
  out.w = {Interval(20), Interval(-6), Interval(-6)};
  for (const double t : {2.5, 1.5, 3.5})
    out.z.emplace_back(LongReal(exp(-LongReal(t) * log(out.v[out.z.size()].middle()))));
  return out;
}

TEST(AlternatingSum, ThatIsOddIsOneOfTheAlternatingSums) {
  // Proved by half of the values and unknowns, and once more by all values with W free.
  const StepSum odd = *refined(odd_start(), {.m = 5, .ends = Ends::odd});
  const auto sum = proved(odd, {.m = 5, .ends = Ends::odd});
  ASSERT_TRUE(sum);
  const auto again = proved(*sum, {.m = 5});
  ASSERT_TRUE(again);
  for (std::size_t i = 0; i < sum->w.size(); ++i) {
    EXPECT_TRUE((sum->w[i] - again->w[i]).contains(0)) << i;
    EXPECT_TRUE((sum->z[i] - again->z[i]).contains(0)) << i;
  }
  EXPECT_TRUE((sum->kappa - again->kappa).contains(0));
  StepSum away = odd;
  away.z[1] = away.z[1] * 2;
  EXPECT_FALSE(proved(away, {.m = 5, .ends = Ends::odd}));
}

TEST(AlternatingSum, RefusesOtherCountsByName) {
  const auto refusal = [](StepSum sum, const AlternatingGoal& goal) -> std::string {
    try {
      proved(sum, goal);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(minimal_start(2, 4), {.m = 7}),
              testing::HasSubstr("m=7 makes 8 equations; 2 steps have 3 .. 7"));
  EXPECT_THAT(refusal({}, {}), testing::HasSubstr("0 weights"));
  EXPECT_THAT(refusal(odd_start(), {.m = 7, .ends = Ends::odd}),
              testing::HasSubstr("m=7 of an odd sum of 3 steps; m=5 is expected"));
  StepSum uneven = odd_start();
  uneven.v[2] = Interval(16);
  EXPECT_THAT(refusal(uneven, {.m = 5, .ends = Ends::odd}),
              testing::HasSubstr("steps 1 and 2 of an odd sum have different slopes"));
  StepSum negative = minimal_start(1, 4);
  negative.z[0] = Interval(-1);
  EXPECT_THAT(refusal(negative, {}), testing::HasSubstr("place or slope 0 is not positive"));
}

}  // namespace
}  // namespace hardhead::hardness
