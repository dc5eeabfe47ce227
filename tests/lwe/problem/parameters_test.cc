#include "lwe/problem/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "tests/lwe/recipe.h"
#include "tests/refusal.h"

namespace hardhead::lwe {
namespace {

struct Refusal {
  std::string name, spec, says;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, NamesValueAndConstraint) {
  EXPECT_THAT(refusal_of([&] { parse(GetParam().spec); }), testing::HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, Refused,
    testing::Values(Refusal{"Problem", "lve:n=4", "unknown problem 'lve', did you mean 'lwe'?"},
                    Refusal{"Key", "lwe:rate=0.1", "'lwe' has no parameter 'rate'"},
                    Refusal{"NoSecret", "lwe:n=0", "n=0 is not an integer in the range 1 .. 4096"},
                    Refusal{"TooLong", "lwe:n=4097", "1 .. 4096"},
                    Refusal{"ModulusOne", "lwe:q=1", "q=1 is not an integer in the range 2 .. 2147483648"},
                    Refusal{"ModulusTooLarge", "lwe:q=4294967296", "q=4294967296"},
                    Refusal{"CompositeModulus", "lwe:q=15", "q=15 is neither a prime nor a power of two"},
                    Refusal{"OddPrimePower", "lwr:q=9", "q=9 is neither a prime nor a power of two"},
                    Refusal{"NegativeNoise", "lwe:sigma=-1", "sigma=-1"},
                    Refusal{"TooMuchNoise", "lwe:sigma=5000", "0 .. 4096"},
                    Refusal{"AlmostNoNoise", "lwe:sigma=0.01", "sigma=0.01 is neither 0 nor at least 0.05"},
                    Refusal{"BinaryNoiseWithSigma", "lwe:noise=binary,sigma=1",
                            "sigma=1 is for noise=gaussian only"},
                    Refusal{"NoiseName", "lwe:noise=uniform", "gaussian | binary"},
                    Refusal{"SecretName", "lwe:secret=gaussian", "uniform | binary | ternary | fixed-weight"},
                    Refusal{"TernaryModTwo", "lwe:q=2,secret=ternary,sigma=1", "q at least 3, not 2"},
                    Refusal{"WeightMissing", "lwe:secret=fixed-weight",
                            "weight=0 of a fixed-weight secret is not in 1 .. n=40"},
                    Refusal{"WeightTooLarge", "lwe:n=4,secret=fixed-weight,weight=5", "weight=5"},
                    Refusal{"WeightOfAnother", "lwe:weight=3", "weight=3 is for secret=fixed-weight only"},
                    Refusal{"LevelsAboveModulus", "lwr:q=16,p=17", "p=17 is not in 2 .. q=16"},
                    Refusal{"OneLevel", "lwr:p=1", "p=1"},
                    Refusal{"RateHalf", "lpn:rate=0.5", "rate=0.5 is not in [0, 0.5)"},
                    Refusal{"NegativeRate", "lpn:rate=-0.1", "rate=-0.1"},
                    Refusal{"ModulusOfLpn", "lpn:q=3", "'lpn' has no parameter 'q'"},
                    Refusal{"NoSamples", "lwe:samples=0", "samples=0"},
                    Refusal{"Seed", "lwe:seed=-1", "seed=-1"}),
    [](const auto& row) { return row.param.name; });

TEST(Recipe, IsCanonicalAndComplete) {
  EXPECT_EQ(parse("lwe:seed=3,n=8").spec.str(),
            "lwe:n=8,q=12289,sigma=3.2,noise=gaussian,samples=80,secret=uniform,weight=0,seed=3");
  EXPECT_EQ(parse("lwr").spec.str(),
            "lwr:n=8,q=16,p=2,rounding=floor,samples=80,secret=uniform,weight=0,seed=1");
  EXPECT_EQ(parse("lpn").spec.str(), "lpn:n=40,rate=0.125,samples=80,secret=uniform,weight=0,seed=1");
}

TEST(Parameters, CountSecrets) {
  EXPECT_NEAR(parse("lwe:n=8,q=101").parameters.log2_secrets(), 8 * std::log2(101), 1e-12);
  EXPECT_EQ(parse("lwe:n=8,secret=binary").parameters.log2_secrets(), 8);
  EXPECT_NEAR(parse("lwe:n=8,secret=ternary").parameters.log2_secrets(), std::log2(6561), 1e-12);
  EXPECT_NEAR(parse("lwe:n=8,secret=fixed-weight,weight=3").parameters.log2_secrets(), std::log2(56), 1e-12);
}

// Whatever the rounding, h lies in the window around the anchor of its label.
TEST(Window, HoldsEveryResidueThatALabelCanComeFrom) {
  for (const auto& [q, p] : {std::pair{16, 2}, {16, 3}, {256, 4}, {257, 16}, {11, 4}, {7, 7}, {2, 2}}) {
    for (const Rounding rounding : {Rounding::floor, Rounding::nearest, Rounding::even}) {
      const ProblemParameters lwr{.problem = ProblemKind::lwr, .n = 1, .q = q, .p = p, .rounding = rounding};
      const Window allowed = window(lwr);
      for (std::int64_t h = 0; h < q; ++h) {
        const std::int64_t f = ((h - anchor(lwr, rounded(lwr, h))) % q + q) % q;
        EXPECT_LE(f, allowed.high) << q << " " << p << " " << h << " " << to_string(rounding);
      }
    }
  }
}

TEST(Rounded, IsDownOrToTheNearestLevel) {
  ProblemParameters lwr{.problem = ProblemKind::lwr, .n = 1, .q = 16, .p = 4};
  EXPECT_EQ(rounded(lwr, 7), 1);
  EXPECT_EQ(rounded(lwr, 15), 3);
  lwr.rounding = Rounding::nearest;
  EXPECT_EQ(rounded(lwr, 5), 1);
  EXPECT_EQ(rounded(lwr, 6), 2) << "halves go up";
  EXPECT_EQ(rounded(lwr, 15), 0) << "level 4 is level 0";
  lwr.rounding = Rounding::even;
  EXPECT_EQ(rounded(lwr, 6), 2) << "1.5";
  EXPECT_EQ(rounded(lwr, 2), 0) << "0.5";
  EXPECT_EQ(rounded(lwr, 14), 0) << "3.5, and level 4 is level 0";
  EXPECT_EQ(rounded(lwr, 15), 0);
  lwr.rounding = Rounding::nearest;
  EXPECT_EQ(rounded(lwr, 2), 1);
  lwr.q = lwr.p = std::int64_t{1} << 31;
  EXPECT_EQ(rounded(lwr, lwr.q - 1), lwr.q - 1) << "no overflow";
  EXPECT_EQ(anchor(lwr, static_cast<Residue>(lwr.q - 1)), lwr.q - 1);
}

TEST(Deviation, IsThatOfTheLaws) {
  EXPECT_EQ(noise_deviation(parse("lwe:sigma=3.2").parameters), 3.2);
  EXPECT_EQ(noise_deviation(parse("lwe:sigma=0,noise=binary").parameters), 0.5);
  EXPECT_NEAR(noise_deviation(parse("lwr:q=16,p=2").parameters), std::sqrt(63 / 12.0), 1e-12);
  EXPECT_EQ(secret_deviation(parse("lwe:secret=binary").parameters), 0.5);
  EXPECT_NEAR(secret_deviation(parse("lwe:secret=fixed-weight,n=8,weight=2").parameters), std::sqrt(3.0) / 4,
              1e-12);
}

TEST(InnerProduct, DoesNotOverflowAtTheLargestModulus) {
  const std::int64_t q = std::int64_t{1} << 31;
  const std::vector<Residue> a(4096, static_cast<Residue>(q - 1)), s = a;
  EXPECT_EQ(inner_product(a.data(), s.data(), 4096, q), 4096);  // (-1)(-1), 4096 times
}

}  // namespace
}  // namespace hardhead::lwe
