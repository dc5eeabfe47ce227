#include "lwe/attacks/core_svp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lwe/attacks/attack.h"
#include "tests/lwe/recipe.h"

namespace hardhead::lwe {
namespace {

/// A parameter set in normal form, the block size (0: none) and log2 of operations that were published for
/// it, and how far ours may be from them.
struct Published {
  std::string name;
  ShortVectorProblem problem;
  int block = 0;
  double bits = 0;
  double within = 2;
};

ShortVectorProblem normal(double n, double q, double noise, double secret, double m) {
  return {n, q, noise, secret, m};
}

double binomial(int eta) {
  return std::sqrt(eta / 2.0);
}

class CoreSvpOf : public testing::TestWithParam<Published> {};

TEST_P(CoreSvpOf, IsWithinTwoBitsOfWhatWasPublished) {
  const auto ours = core_svp(GetParam().problem);
  ASSERT_TRUE(ours);
  EXPECT_NEAR(ours->log2_operations, GetParam().bits, GetParam().within)
      << "block " << ours->block << ", published " << GetParam().block;
  if (GetParam().block > 0) {
    EXPECT_NEAR(ours->block, GetParam().block, GetParam().within / 0.292);
  }
  EXPECT_GT(ours->success, 0.4);
  EXPECT_LE(ours->success, 1);
}

// lattice-estimator (M. Albrecht and others, 27a581b): README and doctests of `primal_usvp` with the shape
// "gsa", the default, and of `estimate.rough`, which counts 0.292 beta.
INSTANTIATE_TEST_SUITE_P(
    LatticeEstimator, CoreSvpOf,
    testing::Values(
        Published{"Kyber512", normal(512, 3329, binomial(3), binomial(3), 512), 406, 118.6},
        Published{"Kyber768", normal(768, 3329, 1, 1, 768), 624, 182.2},  // slides at FHE.org 2024
        Published{"N500", normal(500, 4096, 2, 2, 10'000), 444, 0.292 * 444},
        Published{"N512", normal(512, 3989, 2, 2, 10'000), 458, 0.292 * 458},
        Published{"BinarySecret", normal(384, 128, 2, 0.5, 768), 456, 0.292 * 456},
        Published{"Sweep600", normal(600, std::exp2(32), 128, 0.5, 600), 156, 45.6},
        Published{"Sweep600MoreNoise", normal(600, std::exp2(32), 512, 0.5, 600), 177, 51.7},
        Published{"Sweep700", normal(700, std::exp2(32), 128, 4, 700), 237, 69.2},
        Published{"Sweep700MoreNoise", normal(700, std::exp2(32), 512, 16, 700), 310, 90.5},
        Published{"Sweep900", normal(900, std::exp2(32), 512, 0.5, 900), 317, 92.6},
        // Its shape is that of a simulator ("cn11"), whose last vectors are shorter than a geometric
        // series's: blocks 2% larger.
        Published{"TernaryBySimulator", normal(200, 127, std::sqrt(2.0 / 3), std::sqrt(2.0 / 3), 200), 209,
                  0.292 * 209}),
    [](const auto& row) { return row.param.name; });

// M. Albrecht and others, "Estimate all the {LWE, NTRU} schemes!", SCN 2018, whose table has the primal
// attack with n samples at 0.292 beta, rounded up.
INSTANTIATE_TEST_SUITE_P(
    EstimateAllTheSchemes, CoreSvpOf,
    testing::Values(
        Published{"NewHope512", normal(512, 12289, 2, 2, 512), 386, 113},
        Published{"NewHope1024", normal(1024, 12289, 2, 2, 1024), 886, 259},
        Published{"Frodo640", normal(640, 32768, 2.75, 2.75, 640), 485, 142},
        Published{"Frodo976", normal(976, 65536, 2.3, 2.3, 976), 707, 207},
        Published{"KyberOfRound1", normal(768, 7681, std::sqrt(2.0), std::sqrt(2.0), 768), 614, 180},
        Published{"Titanium", normal(1024, 86017, std::sqrt(2.0), std::sqrt(2.0), 1024), 652, 191}),
    [](const auto& row) { return row.param.name; });

// The specifications of round 3 of NIST's competition, which count 0.292 beta, too.
INSTANTIATE_TEST_SUITE_P(
    Specifications, CoreSvpOf,
    testing::Values(
        Published{"Kyber1024", normal(1024, 3329, 1, 1, 1024), 0, 256},
        Published{"Dilithium2", normal(1024, 8380417, std::sqrt(2.0), std::sqrt(2.0), 1024), 423, 123},
        Published{"Dilithium3", normal(1280, 8380417, std::sqrt(20.0 / 3), std::sqrt(20.0 / 3), 1536), 624,
                  182},
        Published{"Dilithium5", normal(1792, 8380417, std::sqrt(2.0), std::sqrt(2.0), 2048), 863, 252},
        Published{"LightSaber", normal(512, 8192, std::sqrt(5.25), binomial(5), 512), 0, 118},
        Published{"Saber", normal(768, 8192, std::sqrt(5.25), binomial(4), 768), 0, 189},
        Published{"FireSaber", normal(1024, 8192, std::sqrt(5.25), binomial(3), 1024), 0, 260}),
    [](const auto& row) { return row.param.name; });

TEST(CoreSvp, KnowsKyber512ByTheNamesOfLatticeEstimator) {
  const ProblemParameters p =
      parse("lwe:n=512,q=3329,Xs=CenteredBinomial(3),Xe=CenteredBinomial(3)").parameters;
  EXPECT_EQ(core_svp(ShortVectorProblem::of(p, 512))->block, 406);
}

TEST(CoreSvp, AUniformSecretIsPutIntoNormalForm) {
  const ProblemParameters p = parse("lwe:n=512,q=3329,sigma=1.2247448713915889").parameters;
  EXPECT_EQ(core_svp(ShortVectorProblem::of(p, 1024))->block, 406);
  EXPECT_EQ(core_svp(ShortVectorProblem::of(p, 1024))->dimension, 998);
  EXPECT_FALSE(core_svp(ShortVectorProblem::of(p, 512))) << "all samples are spent on the secret";
}

TEST(CoreSvp, IsOfNoBlockWhereTheNoiseFillsTheModulus) {
  EXPECT_FALSE(core_svp(ShortVectorProblem::of(parse("lwe:n=10,q=97,sigma=60").parameters, 1 << 20)));
  EXPECT_TRUE(core_svp(ShortVectorProblem::of(parse("lwe:n=10,q=97,sigma=15").parameters, 1 << 20)));
}

TEST(CoreSvp, TheChanceOfALengthIsThatOfAChiSquare) {
  EXPECT_NEAR(chance_of_length(10, 18.307 / 10), 0.95, 0.005);  // tables of chi-square
  EXPECT_NEAR(chance_of_length(100, 77.93 / 100), 0.05, 0.005);
  EXPECT_NEAR(chance_of_length(1, 3.841), 0.95, 0.01);
}

// What 'lwe estimate' says of parameters that nobody breaks.
TEST(CoreSvp, IsWhatTheLatticeAttackCostsBeyondTheProgramsBlocks) {
  const Cost cost = predicted_cost(find_attack("kannan"),
                                   parse("lwe:n=512,q=3329,sigma=1.2247448713915889").parameters, 1024);
  EXPECT_FALSE(cost.not_applicable);
  EXPECT_NEAR(cost.log2_operations(), 118.6, 0.1);
  EXPECT_EQ(cost.objection(1024),
            "hopeless here: blocks of 406 are needed, and the program's largest is 60; what they cost is not "
            "measured, but by the core-SVP model");
  EXPECT_EQ(cost.block, 406);
  EXPECT_EQ(cost.dimension, 998);
}

}  // namespace
}  // namespace hardhead::lwe
