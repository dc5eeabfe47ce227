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
  for (const Ends ends : {Ends::free, Ends::odd}) {
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
  StepSum one = minimal_start(1, 4);
  const AlternatingGoal odd{.m = 1, .ends = Ends::odd};  // weight, constant and place
  one.w[0] = 2;
  EXPECT_TRUE(proved(*refined(one, odd), odd));
  one.z[0] = Interval(LongReal(0.5));
  EXPECT_FALSE(proved(one, odd))
      << "the box reaches a z that is not positive, or a derivative that is too far off";
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
  StepSum negative = minimal_start(1, 4);
  negative.z[0] = Interval(-1);
  EXPECT_THAT(refusal(negative, {}), testing::HasSubstr("place or slope 0 is not positive"));
}

}  // namespace
}  // namespace hardhead::hardness
