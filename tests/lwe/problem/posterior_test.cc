#include "lwe/problem/posterior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/numeric/walsh_hadamard.h"
#include "tests/lwe/recipe.h"
#include "tests/refusal.h"

namespace hardhead::lwe {
namespace {

Posterior after(const ProblemParameters& parameters, const Samples& samples) {
  Posterior out(parameters);
  for (std::int64_t i = 0; i < samples.count(); ++i)
    out.see(samples.row(i), samples.b[static_cast<std::size_t>(i)]);
  return out;
}

/// All vectors over the alphabet of this kind of secret.
std::vector<std::vector<Residue>> all_secrets(const ProblemParameters& p) {
  std::vector<std::vector<Residue>> out{{}};
  for (std::int64_t j = 0; j < p.n; ++j) {
    std::vector<std::vector<Residue>> longer;
    for (const auto& head : out)
      for (const Residue entry : p.alphabet()) {
        longer.push_back(head);
        longer.back().push_back(entry);
      }
    out = std::move(longer);
  }
  if (p.secret == SecretKind::fixed_weight)
    std::erase_if(out, [&](const auto& s) { return std::ranges::count(s, 1u) != p.weight; });
  return out;
}

// Bayes' rule: the product of the laws of all labels, divided by its sum over secrets.
TEST(Posterior, IsBayesRule) {
  for (const char* spec :
       {"lwr:n=3,q=8,p=2,samples=5", "lwr:n=3,q=7,p=3,samples=3", "lwr:n=4,q=8,p=4,secret=ternary,samples=3",
        "lpn:n=6,rate=0.25,samples=9", "lpn:n=6,rate=0.25,secret=fixed-weight,weight=2,samples=9",
        "lpn:n=5,rate=0,samples=4"}) {
    const Recipe recipe = parse(spec);
    const ProblemParameters& p = recipe.parameters;
    const Samples samples = Sampler(p, 5).draw(0, recipe.samples);
    const Posterior posterior = after(p, samples);
    std::vector<Rational> weights;
    Rational total = 0;
    for (const auto& secret : all_secrets(p)) {
      Rational weight = 1;
      for (std::int64_t i = 0; i < samples.count(); ++i) {
        const bool right =
            label(p, samples.row(i).data(), secret, 0) == samples.b[static_cast<std::size_t>(i)];
        const Rational rate = p.problem == ProblemKind::lpn ? Rational(p.rate) : Rational(0);
        weight *= right ? 1 - rate : rate;
      }
      weights.push_back(weight);
      total += weight;
    }
    const auto secrets = all_secrets(p);
    for (std::size_t i = 0; i < secrets.size(); ++i)
      EXPECT_EQ(posterior.probability(secrets[i]), weights[i] / total) << spec;
  }
}

// One transform counts the right labels of all secrets at once.
TEST(Posterior, OfParityWithNoiseIsThatOfTheTransform) {
  constexpr int n = 10;
  const ProblemParameters p = parse("lpn:n=10,rate=0.125").parameters;
  const Samples samples = Sampler(p, 3).draw(0, 40);
  const Posterior posterior = after(p, samples);
  std::vector<std::int64_t> signs(std::size_t{1} << n);
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    std::size_t z = 0;
    for (std::size_t j = 0; j < n; ++j) z |= static_cast<std::size_t>(samples.row(i)[j]) << j;
    signs[z] += samples.b[static_cast<std::size_t>(i)] == 0 ? 1 : -1;
  }
  walsh_hadamard(signs, n);
  const auto weight = [&](std::int64_t agreement) {  // right minus wrong labels
    return power(Rational(1, 7), static_cast<long>((40 - agreement) / 2));
  };
  Rational total = 0;
  for (const std::int64_t agreement : signs) total += weight(agreement);
  for (const std::size_t set : {std::size_t{0}, std::size_t{1}, std::size_t{77}, std::size_t{1023}}) {
    std::vector<Residue> secret;
    for (std::size_t j = 0; j < n; ++j) secret.push_back(set >> j & 1);
    EXPECT_EQ(posterior.probability(secret), weight(signs[set]) / total);
  }
}

// Without noise a sample halves the secrets of a parity that are left; with it a sample says less.
TEST(SamplesToDetermine, AreAboutTheEntropyOfTheSecretOverWhatASampleSays) {
  const auto median = [](const char* spec) {
    std::vector<std::int64_t> all;
    for (std::uint64_t seed = 1; seed <= 15; ++seed)
      all.push_back(samples_to_determine(parse(spec).parameters, seed, 1000, {}).value());
    std::ranges::nth_element(all, all.begin() + 7);
    return all[7];
  };
  const std::int64_t exact = median("lpn:n=12,rate=0");
  EXPECT_GE(exact, 11);
  EXPECT_LE(exact, 13);
  const std::int64_t noisy = median("lpn:n=12,rate=0.125");  // 1 - H(1/8) = 0.456 bits: 26 and more
  EXPECT_GT(noisy, 20);
  EXPECT_LT(noisy, 60);
  EXPECT_FALSE(samples_to_determine(parse("lpn:n=12,rate=0").parameters, 1, 5, {}));
}

TEST(Posterior, RefusesWhatItDoesNotKeep) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal_of([] { Posterior{parse("lwe:n=4,q=17").parameters}; }), HasSubstr("problem lwe"));
  EXPECT_THAT(refusal_of([] { Posterior{parse("lwr:n=8,q=16").parameters}; }), HasSubstr("2^32.0 secrets"));
}

}  // namespace
}  // namespace hardhead::lwe
