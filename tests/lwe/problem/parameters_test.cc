#include "lwe/problem/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "lwe/problem/discrete_gaussian.h"
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
    testing::Values(
        Refusal{"Problem", "lve:n=4", "unknown problem 'lve', did you mean 'lwe'?"},
        Refusal{"Key", "lwe:rate=0.1", "'lwe' has no parameter 'rate'"},
        Refusal{"NoSecret", "lwe:n=0", "n=0 is not an integer in the range 1 .. 4096"},
        Refusal{"TooLong", "lwe:n=4097", "1 .. 4096"},
        Refusal{"ModulusOne", "lwe:q=1", "q=1 is not an integer in the range 2 .. 4294967296"},
        Refusal{"ModulusTooLarge", "lwe:q=4294967297", "q=4294967297"},
        Refusal{"NegativeNoise", "lwe:sigma=-1", "sigma=-1"},
        Refusal{"TooMuchNoise", "lwe:sigma=5000", "0 .. 4096"},
        Refusal{"AlmostNoNoise", "lwe:sigma=0.01", "sigma=0.01 is neither 0 nor at least 0.05"},
        Refusal{"BinaryNoiseWithSigma", "lwe:noise=binary,sigma=1", "sigma=1 is for noise=gaussian only"},
        Refusal{"NoiseName", "lwe:noise=uniform", "gaussian | binary | binomial"},
        Refusal{"EtaMissing", "lwe:noise=binomial", "noise=binomial needs eta, which is 0"},
        Refusal{"EtaOfAnother", "lwe:eta=2", "eta=2 is for noise=binomial only"},
        Refusal{"SecretName", "lwe:secret=sparse",
                "uniform | binary | ternary | fixed-weight | sparse-ternary | binomial | gaussian"},
        Refusal{"SecretEtaMissing", "lwe:secret=binomial", "secret=binomial needs secret_eta, which is 0"},
        Refusal{"SecretSigmaOfAnother", "lwe:secret=binary,secret_sigma=2",
                "secret_sigma=2 is for secret=gaussian only"},
        Refusal{"BinomialModFive", "lwe:q=5,secret=binomial,secret_eta=3", "q at least 7, not 5"},
        Refusal{"SparseWeightTooLarge", "lwe:n=4,secret=sparse-ternary,weight=5",
                "weight=5 of a sparse-ternary secret is not in 1 .. n=4"},
        Refusal{"TernaryModTwo", "lwe:q=2,secret=ternary,sigma=1", "q at least 3, not 2"},
        Refusal{"WeightMissing", "lwe:secret=fixed-weight",
                "weight=0 of a fixed-weight secret is not in 1 .. n=40"},
        Refusal{"WeightTooLarge", "lwe:n=4,secret=fixed-weight,weight=5", "weight=5"},
        Refusal{"WeightOfAnother", "lwe:weight=3",
                "weight=3 is for secret=fixed-weight and secret=sparse-ternary only"},
        Refusal{"LevelsAboveModulus", "lwr:q=16,p=17", "p=17 is not in 2 .. q=16"},
        Refusal{"RoundingAModulusTooLarge", "lwr:q=2147483649", "2 .. 2147483648"},
        Refusal{"OneLevel", "lwr:p=1", "p=1"},
        Refusal{"RateHalf", "lpn:rate=0.5", "rate=0.5 is not in [0, 0.5)"},
        Refusal{"NegativeRate", "lpn:rate=-0.1", "rate=-0.1"},
        Refusal{"ModulusOfLpn", "lpn:q=3", "'lpn' has no parameter 'q'"},
        Refusal{"NoSamples", "lwe:samples=0", "samples=0"}, Refusal{"Seed", "lwe:seed=-1", "seed=-1"}),
    [](const auto& row) { return row.param.name; });

TEST(Recipe, IsCanonicalAndComplete) {
  EXPECT_EQ(parse("lwe:seed=3,n=8").spec.str(),
            "lwe:n=8,q=12289,sigma=3.2,noise=gaussian,eta=0,samples=80,secret=uniform,weight=0,secret_eta=0,"
            "secret_sigma=0,seed=3");
  EXPECT_EQ(parse("lwr").spec.str(),
            "lwr:n=8,q=16,p=2,rounding=floor,samples=80,secret=uniform,weight=0,secret_eta=0,secret_sigma=0,"
            "seed=1");
  EXPECT_EQ(parse("lpn").spec.str(),
            "lpn:n=40,rate=0.125,samples=80,secret=uniform,weight=0,secret_eta=0,secret_sigma=0,seed=1");
}

TEST(Parameters, CountSecrets) {
  EXPECT_NEAR(parse("lwe:n=8,q=101").parameters.log2_secrets(), 8 * std::log2(101), 1e-12);
  EXPECT_EQ(parse("lwe:n=8,secret=binary").parameters.log2_secrets(), 8);
  EXPECT_NEAR(parse("lwe:n=8,secret=ternary").parameters.log2_secrets(), std::log2(6561), 1e-12);
  EXPECT_NEAR(parse("lwe:n=8,secret=fixed-weight,weight=3").parameters.log2_secrets(), std::log2(56), 1e-12);
  EXPECT_NEAR(parse("lwe:n=8,secret=sparse-ternary,weight=3").parameters.log2_secrets(), std::log2(56 * 8),
              1e-12);
  EXPECT_NEAR(parse("lwe:n=8,secret=binomial,secret_eta=3").parameters.log2_secrets(), 8 * std::log2(7),
              1e-12);
}

TEST(Parameters, KnowTheValuesOfAnEntry) {
  using testing::ElementsAre;
  const auto alphabet = [](const char* spec) { return parse(spec).parameters.alphabet(); };
  EXPECT_THAT(alphabet("lwe:q=5,sigma=1"), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(alphabet("lwe:q=97,secret=fixed-weight,weight=2"), ElementsAre(0, 1));
  EXPECT_THAT(alphabet("lwe:q=97,secret=sparse-ternary,weight=2"), ElementsAre(0, 1, 96));
  EXPECT_THAT(alphabet("lwe:q=97,secret=binomial,secret_eta=2"), ElementsAre(0, 1, 2, 95, 96));
  const ProblemParameters gaussian = parse("lwe:q=97,secret=gaussian,secret_sigma=1").parameters;
  EXPECT_EQ(gaussian.entry_values(), 2 * tail_cut(1) + 1);
  EXPECT_EQ(gaussian.alphabet().size(), static_cast<std::size_t>(gaussian.entry_values()));
  const ProblemParameters sparse = parse("lwe:n=4,q=97,secret=sparse-ternary,weight=2").parameters;
  EXPECT_EQ(defect_of_secret(sparse, std::vector<Residue>{0, 96, 1, 0}), "");
  EXPECT_EQ(defect_of_secret(sparse, std::vector<Residue>{0, 96, 0, 0}),
            "the secret has 1 entries other than 0, weight=2");
  EXPECT_EQ(defect_of_secret(sparse, std::vector<Residue>{0, 95, 1, 0}),
            "entry 1 of the secret is 95, which no sparse-ternary secret mod 97 has");
}

// Whatever the rounding, h lies in the window around the anchor of its label.
TEST(Window, HoldsEveryResidueThatALabelCanComeFrom) {
  for (const auto& [q, p] : {std::pair{16, 2}, {16, 3}, {256, 4}, {257, 16}, {11, 4}, {7, 7}, {2, 2}}) {
    for (const Rounding rounding : {Rounding::floor, Rounding::nearest, Rounding::even}) {
      const ProblemParameters lwr{.problem = ProblemKind::lwr, .n = 1, .q = q, .p = p, .rounding = rounding};
      const Window allowed = window(lwr);
      for (std::int64_t h = 0; h < q; ++h) {
        const std::int64_t f = ((h - anchor(lwr, rounded(lwr, h))) % q + q) % q;
        EXPECT_LE(f, allowed.high) << q << " " << p << " " << h << " " << name_of(rounding);
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
  EXPECT_EQ(noise_deviation(parse("lwe:noise=binomial,eta=8").parameters), 2);
  EXPECT_EQ(secret_deviation(parse("lwe:n=8,secret=sparse-ternary,weight=2").parameters), 0.5);
  EXPECT_NEAR(noise_deviation(parse("lwr:q=16,p=2").parameters), std::sqrt(63 / 12.0), 1e-12);
  EXPECT_EQ(secret_deviation(parse("lwe:secret=binary").parameters), 0.5);
  EXPECT_NEAR(secret_deviation(parse("lwe:secret=fixed-weight,n=8,weight=2").parameters), std::sqrt(3.0) / 4,
              1e-12);
}

TEST(InnerProduct, DoesNotOverflowAtTheLargestModulus) {
  const std::int64_t q = std::int64_t{1} << 32;
  const std::vector<Residue> a(4096, static_cast<Residue>(q - 1)), s = a;
  EXPECT_EQ(inner_product(a, s, q), 4096);  // (-1)(-1), 4096 times
}

}  // namespace
}  // namespace hardhead::lwe
