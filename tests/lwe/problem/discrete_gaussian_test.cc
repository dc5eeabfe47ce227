#include "lwe/problem/discrete_gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/mpfr.hpp>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/numeric/random.h"

namespace hardhead::lwe {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<80>>;

/// 2^20 values.
std::vector<std::int32_t> draws_of(const DiscreteGaussian& law) {
  const Stream stream(Domain::test, 1, "gaussian");
  std::vector<std::int32_t> out;
  for (std::uint64_t block = 0; block < 1 << 18; ++block)
    for (const std::uint64_t word : stream.bits(0, block)) out.push_back(law.value(word));
  return out;
}

double chi_square(const DiscreteGaussian& law, std::span<const std::int32_t> draws, double least_expected,
                  int& cells) {
  std::map<std::int64_t, double> seen;
  for (const std::int32_t x : draws) ++seen[x];
  // The tails of little mass make one cell.
  double sum = 0, tail_expected = 0, tail_seen = 0;
  cells = 0;
  for (std::int64_t x = -law.cut(); x <= law.cut(); ++x) {
    const double expected =
        static_cast<double>(law.probability(x)) * 0x1p-64 * static_cast<double>(draws.size());
    if (expected < least_expected) {
      tail_expected += expected, tail_seen += seen[x];
      continue;
    }
    sum += (seen[x] - expected) * (seen[x] - expected) / expected;
    ++cells;
  }
  if (tail_expected > 1)
    sum += (tail_seen - tail_expected) * (tail_seen - tail_expected) / tail_expected, ++cells;
  return sum;
}

/// Upper quantile of chi-square by Wilson and Hilferty: one in a million.
double threshold(int degrees) {
  const double k = degrees, z = 4.75;
  return k * std::pow(1 - 2 / (9 * k) + z * std::sqrt(2 / (9 * k)), 3);
}

TEST(DiscreteGaussian, DrawsFollowTheTableByChiSquare) {
  for (const double sigma : {0.3, 1.0, 3.2, 19.4, 300.0}) {
    const DiscreteGaussian law(sigma);
    int cells = 0;
    const double found = chi_square(law, draws_of(law), 20, cells);
    EXPECT_LT(found, threshold(cells - 1)) << sigma << " with " << cells << " cells";
  }
}

TEST(DiscreteGaussian, TheChiSquareTestSeesAnotherSigma) {
  const DiscreteGaussian law(3.2), wider(3.23);
  int cells = 0;
  const double found = chi_square(law, draws_of(wider), 20, cells);
  EXPECT_GT(found, threshold(cells - 1));
}

TEST(DiscreteGaussian, SigmaIsTheStandardDeviationOfTheDiscreteLaw) {
  for (const double sigma : {0.05, 0.3, 0.5, 1.0, 2.9, 3.2, 100.0}) {
    const DiscreteGaussian law(sigma);
    Real square = 0;
    for (std::int64_t x = -law.cut(); x <= law.cut(); ++x) square += Real(law.probability(x)) * x * x;
    const double found = static_cast<double>(sqrt(ldexp(square, -64)));
    EXPECT_NEAR(found / sigma, 1, 1e-14) << sigma;
  }
}

TEST(DiscreteGaussian, TheTableSumsToOneExactlyAndIsWithinItsBoundOfTheLaw) {
  for (const double sigma : {3.2, 4096.0}) {
    const DiscreteGaussian law(sigma);
    std::uint64_t sum = 0;
    for (std::int64_t x = -law.cut(); x <= law.cut(); ++x) sum += law.probability(x);
    EXPECT_EQ(sum, 0u) << "2^64, that is";
    // From sigma = 3 on the law's parameter is sigma; the tail is summed far beyond the cut.
    Real mass = 0, distance = 0;
    const std::int64_t far = 2 * law.cut();
    for (std::int64_t x = -far; x <= far; ++x) mass += exp(-Real(x) * x / (2 * Real(sigma) * sigma));
    for (std::int64_t x = -far; x <= far; ++x) {
      const Real p = exp(-Real(x) * x / (2 * Real(sigma) * sigma)) / mass;
      const Real table = std::abs(x) > law.cut() ? Real(0) : Real(ldexp(Real(law.probability(x)), -64));
      distance += abs(p - table) / 2;
    }
    EXPECT_LE(static_cast<double>(distance), static_cast<double>(2 * law.cut() + 2) * 0x1p-64) << sigma;
  }
}

TEST(DiscreteGaussian, AliasesGiveEachValueItsShareOfAllWordsExactly) {
  const DiscreteGaussian law(1.0);
  // Within a bucket the value changes once: bisect for the change, and add up lengths.
  const std::size_t buckets = std::bit_ceil(static_cast<std::size_t>(2 * law.cut() + 1));
  const std::uint64_t length = (std::uint64_t{1} << 63) / buckets * 2;
  std::map<std::int32_t, std::uint64_t> share;
  for (std::uint64_t b = 0; b < buckets; ++b) {
    const std::uint64_t first = b * length;
    const std::int32_t own = law.value(first), other = law.value(first + length - 1);
    std::uint64_t low = 0, high = length;  // words below low are `own`, from high on `other`
    while (own != other && high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (law.value(first + middle) == own ? low : high) = middle;
    }
    share[own] += own == other ? length : high;
    if (own != other) share[other] += length - high;
  }
  for (std::int64_t x = -law.cut(); x <= law.cut(); ++x)
    EXPECT_EQ(share[static_cast<std::int32_t>(x)], law.probability(x)) << x;
}

TEST(DiscreteGaussian, RefusesWhatIsOutOfRange) {
  for (const double sigma : {0.0, 0.049, 4097.0, -1.0, std::nan("")})
    EXPECT_THROW(DiscreteGaussian{sigma}, InputError) << sigma;
}

}  // namespace
}  // namespace hardhead::lwe
