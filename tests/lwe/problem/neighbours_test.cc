#include "lwe/problem/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lwe/problem/verification.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;
using Rows = std::vector<std::vector<Residue>>;

/// Samples of these rows with the noise of the parameters.
Samples labelled(const ProblemParameters& p, const Rows& rows, const std::vector<Residue>& secret) {
  const ErrorLaw law(p);
  const Stream words(Domain::test, 1, "errors");
  Samples out{p.n, {}, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.a.insert(out.a.end(), rows[i].begin(), rows[i].end());
    out.b.push_back(label(p, rows[i].data(), secret, law.value(words.bits(i, 0)[0])));
  }
  return out;
}

/// `copies` of each row.
Rows repeated(const Rows& rows, int copies) {
  Rows out;
  for (int c = 0; c < copies; ++c) out.insert(out.end(), rows.begin(), rows.end());
  return out;
}

/// Random rows, each entry below `bound`.
Rows random_rows(std::int64_t n, int count, std::uint64_t bound) {
  const Stream words(Domain::test, 2, "rows");
  Rows out(static_cast<std::size_t>(count));
  std::uint64_t item = 0;
  for (auto& row : out)
    for (std::int64_t j = 0; j < n; ++j) row.push_back(static_cast<Residue>(words.below(item++, bound)));
  return out;
}

TEST(Neighbours, AnEntryThatOneNoisyRowAloneSeesIsNotDetermined) {
  const ProblemParameters p{.n = 2, .q = 97, .sigma = 3};
  Rows rows;
  for (Residue a = 1; a < 97; ++a) rows.push_back({a, 0});
  rows.push_back({0, 1});
  const Verification says = verify(p, labelled(p, rows, {7, 50}), std::vector<Residue>{7, 50});
  EXPECT_TRUE(says.fits);
  EXPECT_FALSE(says.verified());
  EXPECT_THAT(says.message, HasSubstr("up to others"));
  EXPECT_GT(says.log2_impostors, 0) << "about as likely are 50 +- 1, +- 2, +- 3";
  for (Residue a = 2; a < 97; ++a) rows.push_back({0, a});
  EXPECT_TRUE(verify(p, labelled(p, rows, {7, 50}), std::vector<Residue>{7, 50}).verified());
}

// The direction (1, 5, 9) is hidden from the unit vectors; two rows of 1002 see it.
TEST(Neighbours, ADirectionThatFewRowsSeeIsFound) {
  const ProblemParameters p{.n = 3, .q = 97, .sigma = 3};
  Rows rows = random_rows(3, 1000, 97);
  for (auto& row : rows) row[0] = (2 * 97 * 97 - 5 * row[1] - 9 * row[2]) % 97;
  rows.push_back({1, 0, 0});
  rows.push_back({0, 1, 0});
  const Samples samples = labelled(p, rows, {1, 2, 3});
  EXPECT_FALSE(verify(p, samples, std::vector<Residue>{1, 2, 3}).verified());
  EXPECT_TRUE(
      verify(p, labelled(p, random_rows(3, 1000, 97), {1, 2, 3}), std::vector<Residue>{1, 2, 3}).verified());
}

TEST(Neighbours, ParityWithNoiseNeedsEachEntrySeenOften) {
  ProblemParameters p;
  p.problem = ProblemKind::lpn;
  p.rate = 0.1;
  for (const std::int64_t n : {2, 20}) {  // all secrets, and neighbours
    p.n = n;
    Rows rows = random_rows(n, 1000, 2);
    for (auto& row : rows) row[0] = 0;
    for (auto& row : repeated({{std::vector<Residue>(static_cast<std::size_t>(n), 0)}}, 4)) {
      row[0] = 1;
      rows.push_back(row);
    }
    const std::vector<Residue> secret(static_cast<std::size_t>(n), 1);
    const Verification says = verify(p, labelled(p, rows, secret), secret);
    EXPECT_TRUE(says.fits) << says.message;
    EXPECT_FALSE(says.verified()) << n;
    EXPECT_TRUE(verify(p, labelled(p, random_rows(n, 1000, 2), secret), secret).verified()) << n;
  }
}

// Rows of 0 and 1 move no residual by more than 1: one such row says little, many say enough.
TEST(Neighbours, SmallCoefficientsSayLittleEach) {
  const ProblemParameters p{.n = 8, .q = 12289, .sigma = 3};
  const std::vector<Residue> secret = {1, 2000, 3, 4, 5, 6, 7, 12000};
  EXPECT_FALSE(verify(p, labelled(p, random_rows(8, 100, 2), secret), secret).verified());
  EXPECT_TRUE(verify(p, labelled(p, random_rows(8, 4000, 2), secret), secret).verified());
}

TEST(Neighbours, OfASmallSecretAreThoseWithAnEntryChangedOrTwoExchanged) {
  ProblemParameters p{.n = 24, .q = 97, .sigma = 3};
  for (const SecretKind kind : {SecretKind::binary, SecretKind::ternary, SecretKind::fixed_weight}) {
    p.secret = kind;
    p.weight = kind == SecretKind::fixed_weight ? 1 : 0;
    std::vector<Residue> secret(24, 0);
    secret[3] = 1;
    Rows rows = random_rows(24, 200, 97);
    EXPECT_TRUE(verify(p, labelled(p, rows, secret), secret).verified());
    for (auto& row : rows) row[4] = (row[3] + 1) % 97;  // exchanged, they move each residual by 1
    rows.resize(20);
    EXPECT_FALSE(verify(p, labelled(p, rows, secret), secret).verified());
  }
}

// With few secrets the number is exact: the probability of the others, from the law of the noise itself.
TEST(Neighbours, OfFewSecretsAreAllWithTheirExactProbability) {
  const ProblemParameters p{.n = 2, .q = 31, .sigma = 2};
  const DiscreteGaussian law(2);
  for (const int count : {3, 6, 12}) {
    const Samples samples = labelled(p, random_rows(2, count, 31), {5, 6});
    const auto probability = [&](Residue x, Residue y) {
      double product = 1;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t h = samples.row(i)[0] * x + samples.row(i)[1] * y;
        double of_label = 0;
        for (std::int64_t e = -law.cut(); e <= law.cut(); ++e)
          if ((h + e + 31 * 31 - samples.b[static_cast<std::size_t>(i)]) % 31 == 0)
            of_label += std::ldexp(static_cast<double>(law.probability(e)), -64);
        product *= of_label;
      }
      return product;
    };
    double others = 0;
    for (Residue x = 0; x < 31; ++x)
      for (Residue y = 0; y < 31; ++y)
        if (x != 5 || y != 6) others += probability(x, y);
    EXPECT_NEAR(log2_neighbours(p, samples, std::vector<Residue>{5, 6}),
                std::log2(others / probability(5, 6)), 1e-6)
        << count;
  }
}

}  // namespace
}  // namespace hardhead::lwe
