#include "hardness/niceness/arithmetic_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/numeric/random.h"

namespace hardhead::hardness {
namespace {

constexpr double least_spacing = 0.1;

double rms(const std::vector<double>& x) {
  double square = 0;
  for (const double value : x) square += value * value;
  return std::sqrt(square / static_cast<double>(x.size()));
}

std::vector<double> random_numbers(std::uint64_t item, std::size_t count, bool normal) {
  std::vector<double> out(count);
  const Stream stream(Domain::test, 1, "arithmetic distance");
  if (normal)
    stream.normals(item, out);
  else
    stream.uniforms(item, out);
  return out;
}

/// The definition: every spacing of a fine grid, the best offset by cutting the circle at each number.
double by_definition(const std::vector<double>& x, double step) {
  const double scale = rms(x), n = static_cast<double>(x.size());
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  double best = 1e300;
  for (double inverse = 1 / std::max(*high - *low, 4 * scale); inverse <= 1 / (least_spacing * scale);
       inverse += step / scale) {
    std::vector<double> u;
    for (const double value : x) u.push_back(value * inverse - std::floor(value * inverse));
    std::sort(u.begin(), u.end());
    double sum = 0, square = 0;
    for (const double value : u) sum += value, square += value * value;
    for (const double value : u) {
      const double mean = sum / n, variance = std::max(0.0, square / n - mean * mean);
      best = std::min(best, std::sqrt(variance) / inverse / std::min(1 / inverse / std::sqrt(12.0), scale));
      sum += 1;
      square += 2 * value + 1;
    }
  }
  return best;
}

TEST(ArithmeticDistance, NumbersOnALatticeHaveNoneAndTheLatticeIsFound) {
  for (const double spacing : {0.7, 0.35, 1.0, 1.3, 1.7, 2.3, 3.1}) {
    std::vector<double> x;
    for (int i = 0; i < 200; ++i) x.push_back(0.3 + spacing * ((i * i) % 11 - 5));
    const ArithmeticFit fit = arithmetic_distance(x, least_spacing);
    EXPECT_LE(fit.distance, 1e-14) << spacing;
    EXPECT_NEAR(fit.spacing, spacing, 1e-14 * std::max(1.0, spacing));
    EXPECT_NEAR(fit.offset, 0.3, 1e-14 * std::max(1.0, spacing)) << spacing;
  }
}

TEST(ArithmeticDistance, SmallCasesByHand) {
  // One number, or equal ones, or two: always on a lattice.
  EXPECT_LE(arithmetic_distance(std::vector<double>{3}, least_spacing).distance, 1e-15);
  EXPECT_LE(arithmetic_distance(std::vector<double>(7, -2.5), least_spacing).distance, 1e-15);
  EXPECT_LE(arithmetic_distance(std::vector<double>{1, 1 + std::sqrt(2)}, least_spacing).distance, 1e-15);
  EXPECT_EQ(arithmetic_distance(std::vector<double>(4, 0.0), least_spacing).distance, 0);
  // 100 + noise of 1 against {100 + noise}: one point, at a distance of 1 in units of 100.
  std::vector<double> near = random_numbers(0, 4096, true);
  for (double& value : near) value = 100 + value;
  EXPECT_NEAR(arithmetic_distance(near, least_spacing).distance, 0.01, 5e-4);
  // All numbers +-1 but for normal noise of 0.1: spacing 2, so 0.1 / (2 / sqrt 12).
  std::vector<double> signs = random_numbers(1, 4096, true);
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = (i % 2 == 0 ? 1 : -1) + 0.1 * signs[i];
  EXPECT_NEAR(arithmetic_distance(signs, least_spacing).distance, 0.1 * std::sqrt(3.0), 5e-3);
}

TEST(ArithmeticDistance, UniformAndNormalNumbersAreNearNoLattice) {
  std::vector<double> uniform = random_numbers(2, 1 << 16, false);
  for (double& value : uniform) value -= 0.5;
  EXPECT_NEAR(arithmetic_distance(uniform, least_spacing).distance, 0.87, 0.02);
  EXPECT_NEAR(arithmetic_distance(random_numbers(3, 1 << 16, true), least_spacing).distance, 0.875, 0.02);
}

TEST(ArithmeticDistance, SearchIsWithinItsStatedResolutionOfTheDefinition) {
  double worst = 0;
  for (std::uint64_t item = 10; item < 26; ++item) {
    std::vector<double> x = random_numbers(item, 40, true);
    if (item % 2 == 0)  // halfway to a lattice
      for (double& value : x) value += 0.5 * (1.3 * std::round(value / 1.3) - value);
    const double found = arithmetic_distance(x, least_spacing).distance;
    worst = std::max(worst, found - by_definition(x, 0.003));
  }
  std::printf("the search is above the least distance by at most %.3g\n", worst);
  EXPECT_LE(worst, 0.1);
}

TEST(ArithmeticDistance, ScalingAndOrderChangeNothing) {
  std::vector<double> x = random_numbers(30, 256, true);
  const ArithmeticFit fit = arithmetic_distance(x, least_spacing);
  for (double& value : x) value *= 0x1p-300;
  EXPECT_EQ(arithmetic_distance(x, least_spacing).distance, fit.distance);
  for (double& value : x) value *= -0x1p600;
  std::reverse(x.begin(), x.end());
  EXPECT_NEAR(arithmetic_distance(x, least_spacing).distance, fit.distance, 1e-9);
}

}  // namespace
}  // namespace hardhead::hardness
