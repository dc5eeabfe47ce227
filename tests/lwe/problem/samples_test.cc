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

TEST(Secrets, OfOtherLawsHaveTheirDeviation) {
  for (const char* spec :
       {"lwe:n=4000,q=97,secret=binomial,secret_eta=3", "lwe:n=4000,q=97,secret=binomial,secret_eta=32",
        "lwe:n=4000,q=4294967296,secret=gaussian,secret_sigma=2.75",
        "lwe:n=4000,q=1000,secret=sparse-ternary,weight=500"}) {
    const ProblemParameters p = parse(spec).parameters;
    const std::vector<Residue> secret = draw_secret(p, 7);
    EXPECT_EQ(defect_of_secret(p, secret), "") << spec;
    double sum = 0, squares = 0;
    for (const Residue entry : secret) {
      const double e = static_cast<double>(entry > p.q / 2 ? entry - p.q : std::int64_t{entry});
      sum += e, squares += e * e;
    }
    const double deviation = secret_deviation(p);
    EXPECT_NEAR(sum / 4000 / deviation, 0, 5 / std::sqrt(4000)) << spec;
    if (!p.has_fixed_weight()) {
      EXPECT_NEAR(squares / 4000 / (deviation * deviation), 1, 5 * std::sqrt(2.0 / 4000)) << spec;
    }
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

INSTANTIATE_TEST_SUITE_P(
    Problems, Verified,
    testing::Values("lwe:n=8,samples=16", "lwe:n=8,q=4096,samples=32,secret=ternary",
                    "lwe:n=12,q=101,noise=binary,sigma=0,samples=40", "lwr:n=8,samples=60",
                    "lwr:n=5,q=11,p=4,samples=60", "lpn:n=24,samples=400", "lpn:n=24,rate=0,samples=60",
                    "lwe:n=8,sigma=0,samples=16", "lwe:n=8,q=1000,sigma=2,samples=32",
                    "lwe:n=8,q=4294967296,sigma=100,samples=16",
                    "lwe:n=8,q=3329,noise=binomial,eta=2,samples=24",
                    "lwe:n=9,q=3329,noise=binomial,eta=3,secret=binomial,secret_eta=3,samples=40",
                    "lwe:n=9,q=4295,sigma=2,secret=gaussian,secret_sigma=2,samples=40",
                    "lwe:n=9,q=4096,sigma=2,secret=sparse-ternary,weight=4,samples=40",
                    "lwr:n=8,q=1000,p=10,samples=60"));

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

TEST(ErrorLaw, BinomialSharesAreThoseOfAllWords) {
  const ProblemParameters p{.problem = ProblemKind::lwe, .n = 2, .q = 97, .noise = Noise::binomial, .eta = 3};
  const ErrorLaw law(p);
  std::vector<int> counts(97, 0);
  for (std::uint64_t first = 0; first < 8; ++first)
    for (std::uint64_t second = 0; second < 8; ++second)
      ++counts[static_cast<std::size_t>((law.value(first | second << 32) + 97) % 97)];
  const std::vector<Rational> shares = law.residues(97);
  for (std::size_t e = 0; e < 97; ++e) EXPECT_EQ(shares[e], Rational(counts[e], 64)) << e;
  EXPECT_EQ(shares[3], Rational(1, 64));
}

}  // namespace
}  // namespace hardhead::lwe
