#include "lwe/problem/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "lwe/problem/verification.h"
#include "tests/lwe/recipe.h"

namespace hardhead::lwe {
namespace {

std::int64_t plain_product(const Samples& samples, std::int64_t i, const std::vector<Residue>& s) {
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < s.size(); ++j) sum += static_cast<std::int64_t>(samples.row(i)[j]) * s[j];
  return sum;
}

TEST(Sampler, AnySampleIsTheSameWhateverIsDrawnWithIt) {
  const Sampler sampler(parse("lwe:n=7,q=97").parameters, 3);
  const Samples all = sampler.draw(0, 500), part = sampler.draw(123, 70);
  for (std::int64_t i = 0; i < 70; ++i) {
    EXPECT_TRUE(std::ranges::equal(part.row(i), all.row(123 + i)));
    EXPECT_EQ(part.b[static_cast<std::size_t>(i)], all.b[static_cast<std::size_t>(123 + i)]);
  }
}

TEST(Sampler, RowsAreUniformForPrimesAndPowersOfTwo) {
  for (const char* spec : {"lwe:n=10,q=7", "lwe:n=10,q=8", "lwr:n=10,q=101"}) {
    const auto recipe = parse(spec);
    const Samples samples = Sampler(recipe.parameters, 1).draw(0, 20'000);
    std::vector<double> seen(static_cast<std::size_t>(recipe.parameters.q), 0);
    for (const Residue a : samples.a) ++seen[a];
    const double expected = 200'000.0 / static_cast<double>(recipe.parameters.q);
    double chi_square = 0;
    for (const double count : seen) chi_square += (count - expected) * (count - expected) / expected;
    const double degrees = static_cast<double>(recipe.parameters.q) - 1;
    EXPECT_LT(chi_square, degrees + 5 * std::sqrt(2 * degrees) + 10) << spec;
  }
}

TEST(Sampler, LwrLabelsAreTheRoundedProductsExactly) {
  const auto recipe = parse("lwr:n=9,q=256,p=4");
  const Sampler sampler(recipe.parameters, 2);
  const Samples samples = sampler.draw(0, 2000);
  for (std::int64_t i = 0; i < samples.count(); ++i)
    EXPECT_EQ(samples.b[static_cast<std::size_t>(i)],
              plain_product(samples, i, sampler.secret()) % 256 * 4 / 256);
}

TEST(Sampler, LweErrorsHaveTheDeviationAskedFor) {
  const auto recipe = parse("lwe:n=5,q=12289,sigma=3.2");
  const Sampler sampler(recipe.parameters, 2);
  const Samples samples = sampler.draw(0, 40'000);
  double squares = 0;
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    std::int64_t e = (samples.b[static_cast<std::size_t>(i)] -
                      plain_product(samples, i, sampler.secret()) % 12289 + 12289) %
                     12289;
    if (e > 6000) e -= 12289;
    squares += static_cast<double>(e * e);
  }
  EXPECT_NEAR(squares / 40'000 / (3.2 * 3.2), 1, 5 * std::sqrt(2.0 / 40'000));
}

TEST(Sampler, LpnLabelsAreWrongAtTheRate) {
  const Sampler sampler(parse("lpn:n=20,rate=0.125").parameters, 2);
  const Samples samples = sampler.draw(0, 40'000);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < samples.count(); ++i)
    wrong +=
        plain_product(samples, i, sampler.secret()) % 2 != samples.b[static_cast<std::size_t>(i)] ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(wrong) / 40'000, 0.125, 5 * std::sqrt(0.125 * 0.875 / 40'000));
}

TEST(Secrets, AreOfTheirKind) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_THAT(draw_secret(parse("lwe:n=30,q=97,secret=binary").parameters, seed),
                testing::Each(testing::Le(1u)));
    EXPECT_THAT(draw_secret(parse("lwe:n=30,q=97,secret=ternary").parameters, seed),
                testing::Each(testing::AnyOf(0u, 1u, 96u)));
    const auto fixed = draw_secret(parse("lwe:n=30,q=97,secret=fixed-weight,weight=4").parameters, seed);
    EXPECT_EQ(std::ranges::count(fixed, 1u), 4);
    EXPECT_EQ(std::ranges::count(fixed, 0u), 26);
  }
}

TEST(Secrets, OneSeedMakesOneSecretForLweAndLwr) {
  EXPECT_EQ(draw_secret(parse("lwe:n=9,q=256,sigma=1").parameters, 5),
            draw_secret(parse("lwr:n=9,q=256,p=4").parameters, 5));
  EXPECT_NE(draw_secret(parse("lwr:n=9,q=256,p=4").parameters, 5),
            draw_secret(parse("lwr:n=9,q=256,p=4").parameters, 6));
}

class Verified : public testing::TestWithParam<std::string> {};

TEST_P(Verified, TheSecretIsBelievedAndEveryNeighbourIsNot) {
  const auto recipe = parse(GetParam());
  const Sampler sampler(recipe.parameters, 4);
  const Samples samples = sampler.draw(0, recipe.samples);
  EXPECT_TRUE(verify(recipe.parameters, samples, sampler.secret()).verified());
  for (std::size_t j = 0; j < sampler.secret().size(); ++j) {
    std::vector<Residue> wrong = sampler.secret();
    wrong[j] = wrong[j] == 0 ? 1 : 0;
    EXPECT_FALSE(verify(recipe.parameters, samples, wrong).fits) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, Verified,
                         testing::Values("lwe:n=8,samples=16", "lwe:n=8,q=4096,samples=32,secret=ternary",
                                         "lwe:n=12,q=101,noise=binary,sigma=0,samples=40",
                                         "lwr:n=8,samples=60", "lwr:n=5,q=11,p=4,samples=60",
                                         "lpn:n=24,samples=400", "lpn:n=24,rate=0,samples=60",
                                         "lwe:n=8,sigma=0,samples=16"));

TEST(Verify, TooFewSamplesFitButAreNotBelieved) {
  const auto recipe = parse("lwr:n=8,samples=30");  // 2^32 secrets, 30 bits
  const Sampler sampler(recipe.parameters, 4);
  const Verification found = verify(recipe.parameters, sampler.draw(0, 30), sampler.secret());
  EXPECT_TRUE(found.fits);
  EXPECT_FALSE(found.verified());
  EXPECT_NEAR(found.log2_impostors, 2, 1e-9);
  EXPECT_THAT(found.message, testing::HasSubstr("do not determine"));
}

TEST(Verify, TellsASecretOfAnotherKindOrLength) {
  const auto recipe = parse("lwe:n=8,secret=binary,samples=32");
  const Sampler sampler(recipe.parameters, 4);
  const Samples samples = sampler.draw(0, 32);
  std::vector<Residue> s = sampler.secret();
  s[3] = 2;
  EXPECT_THAT(verify(recipe.parameters, samples, s).message,
              testing::HasSubstr("entry 3 of the secret is 2"));
  s.pop_back();
  EXPECT_THAT(verify(recipe.parameters, samples, s).message, testing::HasSubstr("7 entries, n=8"));
}

TEST(CheckSamples, RefusesWhatIsOutOfRange) {
  const auto p = parse("lwr:n=2,q=8,p=2").parameters;
  EXPECT_NO_THROW(check_samples(p, {2, {1, 7}, {1}}));
  EXPECT_THROW(check_samples(p, {2, {1, 8}, {1}}), InputError);
  EXPECT_THROW(check_samples(p, {2, {1, 7}, {2}}), InputError);
  EXPECT_THROW(check_samples(p, {2, {1, 7, 1}, {1}}), InputError);
  EXPECT_THROW(check_samples(p, {3, {1, 7, 1}, {1}}), InputError);
  EXPECT_THROW(check_samples(p, {2, {}, {}}), InputError);
}

TEST(ErrorLaw, ResiduesHaveTheSharesOfItsWords) {
  const ProblemParameters lpn{.problem = ProblemKind::lpn, .n = 4, .q = 2, .rate = 0.1};
  const std::vector<Rational> coin = ErrorLaw(lpn).residues(2);
  // Words are cut to 53 bits: the least multiple of 2^-53 that is not below the rate.
  EXPECT_GE(coin[1], Rational(0.1));
  EXPECT_LT(coin[1] - Rational(0.1), Rational(Integer(1), Integer(1) << 53));
  const ProblemParameters wide{.problem = ProblemKind::lwe, .n = 2, .q = 4, .sigma = 2};
  const std::vector<Rational> folded = ErrorLaw(wide).residues(4);
  EXPECT_EQ(folded[0] + folded[1] + folded[2] + folded[3], 1);
  EXPECT_EQ(folded[1], folded[3]) << "the law is symmetric";
  const DiscreteGaussian law(2);
  Integer two = 0;
  for (std::int64_t e = -law.cut(); e <= law.cut(); ++e)
    if (((e % 4) + 4) % 4 == 2) two += law.probability(e);
  EXPECT_EQ(folded[2], Rational(two, Integer(1) << 64));
}

}  // namespace
}  // namespace hardhead::lwe
