#include "lwe/attacks/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/numeric/rational.h"
#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

using Basis = std::vector<std::vector<std::int64_t>>;

/// |det| by elimination in rationals.
Rational volume(const Basis& basis) {
  std::vector<std::vector<Rational>> rows;
  for (const auto& row : basis) rows.emplace_back(row.begin(), row.end());
  Rational out = 1;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    std::size_t pivot = c;
    while (pivot < rows.size() && rows[pivot][c] == 0) ++pivot;
    if (pivot == rows.size()) return 0;
    std::swap(rows[pivot], rows[c]);
    out *= rows[c][c];
    for (std::size_t i = c + 1; i < rows.size(); ++i) {
      const Rational factor = rows[i][c] / rows[c][c];
      for (std::size_t j = c; j < rows.size(); ++j) rows[i][j] -= factor * rows[c][j];
    }
  }
  return abs(out);
}

/// Whether `vector` is an integer combination of the rows.
bool is_in_lattice(const Basis& basis, const std::vector<std::int64_t>& vector) {
  // Cramer: each coefficient is a quotient of determinants.
  const std::size_t d = basis.size();
  std::vector<std::vector<Rational>> system(d, std::vector<Rational>(d + 1));  // basis^T x = vector
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) system[i][j] = basis[j][i];
    system[i][d] = vector[i];
  }
  for (std::size_t c = 0; c < d; ++c) {
    std::size_t pivot = c;
    while (system[pivot][c] == 0) ++pivot;
    std::swap(system[pivot], system[c]);
    for (std::size_t i = 0; i < d; ++i) {
      if (i == c || system[i][c] == 0) continue;
      const Rational factor = system[i][c] / system[c][c];
      for (std::size_t j = c; j <= d; ++j) system[i][j] -= factor * system[c][j];
    }
  }
  for (std::size_t c = 0; c < d; ++c)
    if (denominator(Rational(system[c][d] / system[c][c])) != 1) return false;
  return true;
}

/// The short vector (f, M) or (f, -w s, M) that a secret makes, read off the last row (t, M) of the basis.
std::vector<std::int64_t> short_vector(const Challenge& challenge, const Basis& basis, std::int64_t m,
                                       const std::vector<Residue>& secret) {
  const ProblemParameters& p = challenge.parameters;
  std::vector<std::int64_t> out = basis.back();
  for (std::int64_t i = 0; i < m; ++i) {
    const std::int64_t h = inner_product(challenge.samples.row(i), secret, p.q);
    std::int64_t f = ((out[static_cast<std::size_t>(i)] - h) % p.q + p.q) % p.q;
    if (2 * f > p.q) f -= p.q;
    out[static_cast<std::size_t>(i)] = f;
  }
  if (p.secret == SecretKind::uniform) return out;
  const std::int64_t scale = basis.front()[static_cast<std::size_t>(m)];
  for (std::size_t j = 0; j < secret.size(); ++j)
    out[static_cast<std::size_t>(m) + j] =
        -scale * (secret[j] > p.q / 2 ? secret[j] - p.q : std::int64_t{secret[j]});
  return out;
}

struct SecretCase {
  const char* spec;
  std::int64_t m;
};

class OfASecret : public testing::TestWithParam<SecretCase> {
 protected:
  Recipe recipe_ = Recipe::parse(Spec::parse(GetParam().spec));
  Challenge challenge_ = challenge_of(GetParam().spec);
  std::vector<Residue> secret_ = Sampler(recipe_.parameters, recipe_.seed).secret();
  Embedding embedding_{challenge_, GetParam().m};
  std::vector<std::int64_t> vector_ = short_vector(challenge_, embedding_.basis(), GetParam().m, secret_);
};

TEST_P(OfASecret, TheLatticeHasItsShortVectorAndItsVolume) {
  const ProblemParameters& p = recipe_.parameters;
  const Basis& basis = embedding_.basis();
  const std::int64_t m = GetParam().m, factor = basis.back().back();
  EXPECT_TRUE(is_in_lattice(basis, vector_));
  const Rational scale =
      p.secret == SecretKind::uniform ? Rational(1) : Rational(basis[0][static_cast<std::size_t>(m)]);
  EXPECT_EQ(volume(basis), p.secret == SecretKind::uniform ? factor * power(p.q, m - p.n)
                                                           : factor * power(p.q, m) * power(scale, p.n));
  const Window allowed = window(p);
  for (std::int64_t i = 0; i < m; ++i)
    EXPECT_LE(std::abs(vector_[static_cast<std::size_t>(i)]), allowed.width());
}

TEST_P(OfASecret, TheSecretIsReadOffTheVectorOfEitherSign) {
  EXPECT_EQ(embedding_.secret_of(vector_), secret_);
  std::vector<std::int64_t> negative;
  for (const std::int64_t entry : vector_) negative.push_back(-entry);
  EXPECT_EQ(embedding_.secret_of(negative), secret_);
  std::vector<std::int64_t> other = vector_;
  other.back() *= 2;
  EXPECT_FALSE(embedding_.secret_of(other).has_value());
  other.back() = 0;
  EXPECT_FALSE(embedding_.secret_of(other).has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Embedding, OfASecret,
    testing::Values(
        SecretCase{"lwe:n=4,q=97,sigma=2,samples=20", 9}, SecretCase{"lwe:n=4,q=128,sigma=2,samples=20", 12},
        SecretCase{"lwe:n=4,q=105,sigma=2,samples=20", 12},
        SecretCase{"lwe:n=4,q=4294967296,sigma=200,samples=20", 9},
        SecretCase{"lwe:n=6,q=4294967295,noise=binomial,eta=4,secret=gaussian,secret_sigma=2,samples=20", 4},
        SecretCase{"lwe:n=6,q=1000,sigma=3,secret=sparse-ternary,weight=2,samples=20", 6},
        SecretCase{"lwe:n=3,q=97,noise=binary,sigma=0,samples=20", 8},
        SecretCase{"lwr:n=3,q=64,p=8,samples=20", 8}, SecretCase{"lwr:n=3,q=61,p=7,samples=20", 8},
        SecretCase{"lwe:n=6,q=257,sigma=3,secret=binary,samples=20", 4},
        SecretCase{"lwe:n=5,q=257,sigma=3,secret=ternary,samples=20", 6},
        SecretCase{"lwe:n=9,q=256,sigma=3,secret=fixed-weight,weight=2,samples=20", 7}));

TEST(Embedding, ASmallSecretNeedsWholeMultiplesOfTheScale) {
  const Challenge challenge = challenge_of("lwe:n=4,q=257,sigma=3,secret=binary,samples=20");
  const Embedding embedding(challenge, 5);
  std::vector<std::int64_t> vector = embedding.basis().back();
  ASSERT_GT(embedding.basis()[0][5], 1);
  vector[5] = 1;
  EXPECT_FALSE(embedding.secret_of(vector).has_value());
}

TEST(Embedding, RowsOfTooLowARankAreAnError) {
  Challenge challenge = challenge_of("lwe:n=4,q=97,sigma=1,samples=20");
  for (std::int64_t i = 0; i < 20; ++i) challenge.samples.a[static_cast<std::size_t>(4 * i)] = 0;
  EXPECT_THAT(
      [&] { Embedding(challenge, 12); },
      testing::ThrowsMessage<Error>(testing::HasSubstr("20 samples have rank 3 mod 97, n=4 is needed")));
  challenge.parameters.secret = SecretKind::binary;  // w I has full rank whatever the rows
  EXPECT_EQ(Embedding(challenge, 12).basis().size(), 17U);
}

TEST(Embedding, PassesOverSamplesThatLackARankModuloTwo) {
  Challenge challenge = challenge_of("lwe:n=4,q=128,sigma=1,samples=40");
  // The first nine coefficients of entry 0 are even, so that 8 samples have rank 3 mod 2.
  for (std::int64_t i = 0; i < 9; ++i) challenge.samples.a[static_cast<std::size_t>(4 * i)] &= ~Residue{1};
  EXPECT_EQ(Embedding(challenge, 8).basis().size(), 9U);
}

TEST(PlanEmbedding, UsesTheSamplesThereAreAndNoFewerThanItNeeds) {
  for (const char* spec :
       {"lwe:n=16", "lwe:n=24,secret=binary", "lwr:n=12,q=4096,p=256", "lwe:n=60,q=4093"}) {
    const ProblemParameters p = Recipe::parse(Spec::parse(spec)).parameters;
    const bool uniform = p.secret == SecretKind::uniform;
    EXPECT_EQ(least_samples(p), uniform ? p.n + 1 : 1);
    for (const std::int64_t samples : {least_samples(p), p.n + 1, 2 * p.n, 5 * p.n, std::int64_t{100'000}}) {
      const EmbeddingPlan plan = plan_embedding(p, samples);
      EXPECT_GE(plan.m, least_samples(p)) << spec;
      EXPECT_LE(plan.m, samples) << spec;
      EXPECT_EQ(plan.dimension, plan.m + 1 + (uniform ? 0 : p.n)) << spec;
      EXPECT_EQ(plan.block == 0, plan.margin_bits < 0) << spec;
      EXPECT_GE(plan.widest, plan.m) << spec;
      EXPECT_LE(plan.widest, samples) << spec;
      if (plan.block > 0) {
        EXPECT_GE(plan.success, 0.4) << spec;
      }
    }
  }
}

TEST(PlanEmbedding, MoreNoiseNeedsLargerBlocksUntilNoneDoes) {
  int before = 2;
  bool hopeless = false;
  for (const char* sigma : {"1", "2", "4", "8", "16", "32", "64", "128", "256"}) {
    const ProblemParameters p =
        Recipe::parse(Spec::parse(std::string("lwe:n=50,q=4093,sigma=") + sigma)).parameters;
    const int block = plan_embedding(p, 300).block;
    if (hopeless) {
      EXPECT_EQ(block, 0) << sigma;
    }
    if (block > 0) {
      EXPECT_GE(block, before) << sigma;
    }
    if (block > 0) before = block;
    hopeless = block == 0;
  }
  EXPECT_TRUE(hopeless);
  EXPECT_GT(before, 2);
}

}  // namespace
}  // namespace hardhead::lwe
