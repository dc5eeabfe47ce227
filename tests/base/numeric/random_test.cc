#include "base/numeric/random.h"

#include <fmt/format.h>
#include <mpfr.h>

#include <array>
#include <bit>
#include <cmath>
#include <set>

namespace hardhead {
namespace {

std::vector<double> signs(const Stream& s, std::uint64_t item, std::size_t n) {
  std::vector<double> out(n);
  s.signs(item, out);
  return out;
}
std::vector<double> uniforms(const Stream& s, std::uint64_t item, std::size_t n) {
  std::vector<double> out(n);
  s.uniforms(item, out);
  return out;
}
std::vector<double> normals(const Stream& s, std::uint64_t item, std::size_t n) {
  std::vector<double> out(n);
  s.normals(item, out);
  return out;
}

// Expected words: key by Python's hashlib, numbers by numpy.random.Philox (numpy 1.24), which steps its
// counter before it draws, so with counter (item, block, 0, 0) - 1.
TEST(Random, BitsAreThoseOfAnIndependentPhiloxAndSha256) {
  using Words = std::array<std::uint64_t, 4>;
  EXPECT_EQ(Stream(Domain::instance, 0).bits(0, 0),
            (Words{0x7c640e3fd05c975a, 0xbd9abffcac10941b, 0x9755cd66e36d373, 0x8142216fcfb380b4}));
  EXPECT_EQ(Stream(Domain::samples, 7, "salt").bits(5, 3),
            (Words{0x51007555ebcd8f12, 0xdbde685c752c2f83, 0xcd86147bfa35f73c, 0x72047fa4646f05a5}));
  EXPECT_EQ(Stream(Domain::test, UINT64_MAX).bits(UINT64_MAX, 2),
            (Words{0xc43b1731435bfa99, 0x3f25d5eb1d86d2dc, 0x72d8ea2f89cd0c8c, 0x4df8e1472464b10f}));
}

TEST(Random, AnItemIsTheSameInAnyOrderAndLength) {
  const Stream stream(Domain::samples, 3);
  const auto check = [&](const auto& draw) {
    std::vector<std::vector<double>> upwards;
    for (std::uint64_t item = 0; item < 50; ++item) upwards.push_back(draw(stream, item, 301));
    for (std::uint64_t item = 50; item-- > 0;)
      for (const std::size_t n : {1U, 2U, 3U, 64U, 65U, 257U, 300U}) {
        const auto again = draw(Stream(Domain::samples, 3), item, n);
        EXPECT_TRUE(std::equal(again.begin(), again.end(), upwards[item].begin())) << item << ' ' << n;
      }
  };
  check(signs);
  check(uniforms);
  check(normals);
}

TEST(Random, DomainsSeedsSaltsItemsAndBlocksNeverShareAWord) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const Domain domain :
       {Domain::instance, Domain::samples, Domain::learner, Domain::test, Domain::null_predictor})
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      for (const char* salt : {"", "a", "b"})
        for (std::uint64_t item = 0; item < 20; ++item)
          for (std::uint64_t block = 0; block < 5; ++block)
            for (const std::uint64_t word : Stream(domain, seed, salt).bits(item, block))
              seen.insert(word), ++drawn;
  EXPECT_EQ(seen.size(), drawn);  // a chance collision among 60,000 words of 64 bits: 1e-10
}

TEST(Random, SignsAreBalancedAndUncorrelated) {
  const Stream stream(Domain::samples, 11);
  constexpr int items = 20000, length = 70;
  std::vector<double> sum(length), product(length - 1);
  for (int item = 0; item < items; ++item) {
    const auto s = signs(stream, static_cast<std::uint64_t>(item), length);
    for (std::size_t t = 0; t < length; ++t) {
      ASSERT_TRUE(s[t] == 1.0 || s[t] == -1.0);
      sum[t] += s[t];
      if (t + 1 < length) product[t] += s[t] * s[t + 1];
    }
  }
  const double bound = 5 * std::sqrt(items);  // five standard deviations
  for (const double total : sum) EXPECT_LT(std::abs(total), bound);
  for (const double total : product) EXPECT_LT(std::abs(total), bound);
}

TEST(Random, UniformsAreMultiplesOfTwoToTheMinus53BelowOneWithTheRightMoments) {
  const auto u = uniforms(Stream(Domain::samples, 12), 0, 400'000);
  double mean = 0, square = 0;
  for (const double v : u) {
    ASSERT_TRUE(v >= 0 && v < 1 && v * 0x1p53 == std::floor(v * 0x1p53));
    mean += v, square += v * v;
  }
  const auto n = static_cast<double>(u.size());
  EXPECT_NEAR(mean / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(square / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

TEST(Random, NormalsHaveTheFirstSixMomentsAndTheTailOfANormal) {
  const auto x = normals(Stream(Domain::samples, 13), 0, 1'000'000);
  const auto n = static_cast<double>(x.size());
  const double expected[] = {0, 1, 0, 3, 0, 15}, variance[] = {1, 2, 15, 96, 945, 10170};
  double lag = 0, beyond_two = 0;
  std::array<double, 6> moment{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t p = 0; p < 6; ++p) moment[p] += std::pow(x[i], static_cast<double>(p + 1));
    if (i > 0) lag += x[i] * x[i - 1];
    if (std::abs(x[i]) > 2) ++beyond_two;
  }
  for (std::size_t p = 0; p < 6; ++p)
    EXPECT_NEAR(moment[p] / n, expected[p], 5 * std::sqrt(variance[p] / n)) << "moment " << p + 1;
  EXPECT_NEAR(lag / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(beyond_two / n, 0.0455003, 5 * std::sqrt(0.0455 / n));
}

TEST(Random, BelowIsUniformByAChiSquareTest) {
  const Stream stream(Domain::instance, 14);
  for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 10ULL, 97ULL}) {
    std::vector<double> count(bound);
    constexpr int draws = 50000;
    for (std::uint64_t item = 0; item < draws; ++item) {
      const std::uint64_t value = stream.below(item, bound);
      ASSERT_LT(value, bound);
      ++count[value];
    }
    const double expected = draws / static_cast<double>(bound);
    double chi2 = 0;
    for (const double c : count) chi2 += (c - expected) * (c - expected) / expected;
    // P(chi2 > f + 2 sqrt(f t) + 2 t) <= exp(-t) (Laurent and Massart 2000, lemma 1), here 6e-6.
    const double freedom = static_cast<double>(bound) - 1, t = 12;
    EXPECT_LE(chi2, freedom + 2 * std::sqrt(freedom * t) + 2 * t) << bound;
  }
}

TEST(Random, BelowHasNoModuloBias) {
  // For bound 3 * 2^62 the remainder of a plain word would hit the lowest third twice as often.
  const Stream stream(Domain::instance, 15);
  constexpr std::uint64_t third = std::uint64_t{1} << 62;
  int lowest = 0;
  constexpr int draws = 30000;
  for (std::uint64_t item = 0; item < draws; ++item) lowest += stream.below(item, 3 * third) < third ? 1 : 0;
  EXPECT_NEAR(lowest / static_cast<double>(draws), 1.0 / 3, 5 * std::sqrt(2.0 / 9 / draws));
}

TEST(Random, PortableLogIsWithinTwoUlpOfMpfr) {
  const Stream stream(Domain::test, 16);
  std::vector<double> arguments{1.0,
                                2.0,
                                0.5,
                                std::nextafter(1.0, 0.0),
                                std::nextafter(1.0, 2.0),
                                std::nextafter(std::sqrt(0.5), 0.0),
                                std::sqrt(0.5),
                                std::sqrt(2.0),
                                0x1p-1022,
                                0x1.fffffffffffffp1023};
  for (std::uint64_t item = 0; item < 100'000; ++item) {
    const auto words = stream.bits(item, 0);
    const auto mantissa = words[0] >> 12;
    // A third anywhere, a third in [1/2, 2), a third close to 1.
    const std::uint64_t exponent = item % 3 == 0 ? 1 + words[1] % 2046 : 1022 + words[1] % 2;
    double x = std::bit_cast<double>(exponent << 52 | mantissa);
    if (item % 3 == 2) x = 1 + (x - 1) * std::ldexp(1.0, -static_cast<int>(words[2] % 50));
    arguments.push_back(x);
  }
  mpfr_t reference, error;
  mpfr_inits2(200, reference, error, nullptr);
  double largest = 0, at = 0;
  for (const double x : arguments) {
    const double value = detail::portable_log(x);
    mpfr_set_d(reference, x, MPFR_RNDN);
    mpfr_log(reference, reference, MPFR_RNDN);
    const double rounded = std::abs(mpfr_get_d(reference, MPFR_RNDN));
    if (x == 1.0) {
      EXPECT_EQ(value, 0.0);
      continue;
    }
    mpfr_d_sub(error, value, reference, MPFR_RNDN);
    const double ulp = std::nextafter(rounded, HUGE_VAL) - rounded;
    const double ulps = std::abs(mpfr_get_d(error, MPFR_RNDN)) / ulp;
    if (ulps > largest) largest = ulps, at = x;
  }
  mpfr_clears(reference, error, nullptr);
  fmt::print("portable_log: largest error {:.3f} ulp, at {:a}, of {} arguments\n", largest, at,
             arguments.size());
  EXPECT_LE(largest, 2.0);
}

TEST(Stream, SubsetsHaveEveryNumberEquallyOften) {
  constexpr std::int64_t n = 7, count = 3, draws = 20'000;
  std::array<int, n> first{}, any{};
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const std::vector<std::int64_t> drawn = draw_subset(Stream(Domain::learner, seed), n, count);
    ASSERT_EQ(std::set<std::int64_t>(drawn.begin(), drawn.end()).size(), static_cast<std::size_t>(count));
    ++first.at(static_cast<std::size_t>(drawn.front()));
    for (const std::int64_t x : drawn) ++any.at(static_cast<std::size_t>(x));
  }
  // Six standard deviations of a binomial count.
  const auto allowed = [](double p) { return 6 * std::sqrt(draws * p * (1 - p)); };
  for (std::size_t x = 0; x < n; ++x) {
    EXPECT_NEAR(first.at(x), draws / 7.0, allowed(1 / 7.0));
    EXPECT_NEAR(any.at(x), draws * 3 / 7.0, allowed(3 / 7.0));
  }
  EXPECT_EQ(draw_subset(Stream(Domain::learner, 1), 5, 0).size(), 0U);
  EXPECT_EQ(draw_subset(Stream(Domain::learner, 1), 5, 5).size(), 5U);
}

}  // namespace
}  // namespace hardhead
