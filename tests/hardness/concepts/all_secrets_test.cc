#include "hardness/concepts/all_members.h"

#include <gtest/gtest.h>

#include "hardness/families/rounding_layer.h"
#include "sq/dimension/information.h"

namespace hardhead::hardness {
namespace {

lwe::ProblemParameters lwr(std::int64_t n, std::int64_t q, std::int64_t p,
                           lwe::SecretKind kind = lwe::SecretKind::uniform, std::int64_t weight = 0) {
  return {.problem = lwe::ProblemKind::lwr, .n = n, .q = q, .secret = kind, .weight = weight, .p = p};
}

// With one secret, averaging knows all; with pairs of bits among six, a fifteenth of the label.
TEST(AveragingGain, IsWhatKnowingTheFamilyGives) {
  const auto one = averaging_gain(lwr(3, 4, 2, lwe::SecretKind::fixed_weight, 3));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->all, 1);
  const auto pairs = averaging_gain(lwr(6, 4, 2, lwe::SecretKind::fixed_weight, 2));
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->all, Rational(1, 15));
  EXPECT_EQ(pairs->same_heads, pairs->all) << "all secrets of ones have the same H";
}

TEST(AveragingGain, GrowsWhereTheNumberOfHeadsIsSeen) {
  for (const auto& p : {lwr(2, 4, 2), lwr(2, 8, 2), lwr(4, 4, 2, lwe::SecretKind::binary), lwr(2, 8, 3)}) {
    const auto gain = averaging_gain(p);
    ASSERT_TRUE(gain);
    EXPECT_GE(gain->all, 0);
    EXPECT_GT(gain->same_heads, gain->all);
    EXPECT_LT(gain->same_heads, 1);
  }
  EXPECT_EQ(averaging_gain(lwr(2, 4, 2))->same_heads, Rational(8, 15));
  EXPECT_FALSE(averaging_gain(lwr(8, 16, 2)));
}

// rho by its definition, E_Q[L_w L_v] - 1 over all (x, y), for the secrets of one entry.
TEST(RoundingPairs, AreTheirDefinition) {
  const std::int64_t q = 8, p = 3;
  const auto pairs = rounding_pairs(lwr(1, q, p));
  ASSERT_TRUE(pairs);
  std::vector<Rational> law(p, 0);
  for (std::int64_t h = 0; h < q; ++h) law[static_cast<std::size_t>(h * p / q)] += Rational(1, q);
  std::map<Rational, Rational> expected;
  for (std::int64_t w = 1; w < q; ++w)
    for (std::int64_t v = 1; v < q; ++v) {
      Rational rho = 0;  // where the switch is off, both likelihood ratios are 1
      for (std::int64_t a = 0; a < q; ++a)
        for (std::int64_t y = 0; y < p; ++y) {
          const Rational mass = law[static_cast<std::size_t>(y)] / q;
          const Rational l_w = w * a % q * p / q == y ? 1 / law[static_cast<std::size_t>(y)] : Rational(0);
          const Rational l_v = v * a % q * p / q == y ? 1 / law[static_cast<std::size_t>(y)] : Rational(0);
          rho += mass * (l_w * l_v - 1) / 2;
        }
      expected[rho] += Rational(1, (q - 1) * (q - 1));
    }
  std::map<Rational, Rational> found;
  for (const sq::PairShare& pair : pairs->shares) found[pair.correlation] += pair.share;
  EXPECT_EQ(found, expected);
}

// Different secrets are different functions, as many as are counted; rows of rho by their definition.
TEST(RoundingPairs, CountFunctionsAndHaveTheirLargestRow) {
  for (const auto& p : {lwr(2, 4, 2), lwr(1, 16, 3), lwr(4, 4, 4, lwe::SecretKind::fixed_weight, 2),
                        lwr(3, 4, 2, lwe::SecretKind::binary)}) {
    const auto pairs = rounding_pairs(p);
    ASSERT_TRUE(pairs);
    EXPECT_EQ(sq::functions_of(*pairs), secrets_behind_layers(p));
    Rational mean_row = 0;
    for (const sq::PairShare& pair : pairs->shares) mean_row += pair.share * abs(pair.correlation);
    EXPECT_GE(pairs->largest_row, mean_row);
    EXPECT_LE(pairs->largest_row, Rational(p.p - 1, 2)) << "as large as rho of a secret with itself";
  }
}

TEST(UnrelatedError, IsThatOfTheMeanOfThisSecretsLabels) {
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    RoundingOptions options;
    options.problem = lwr(1, 16, 3);
    options.seed = seed;
    if (lwe::draw_secret(options.problem, seed).front() == 0) continue;
    const RoundingProblem problem = rounding_problem(options);
    EXPECT_LE(problem.constant_error(), problem.null_error());
    EXPECT_EQ(problem.constant_error() == problem.null_error(), problem.secret.front() % 2 != 0)
        << problem.secret.front();
  }
}

}  // namespace
}  // namespace hardhead::hardness
