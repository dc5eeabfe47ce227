#include "hardness/niceness/arithmetic_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/run/parallel.h"

namespace hardhead::hardness {
namespace {

constexpr double sqrt_12 = 2 * std::numbers::sqrt3;
constexpr double resolution = 0.1;       // of the distance, between neighbouring spacings
constexpr std::size_t most_refined = 8;  // spacings that the search goes on from
constexpr double rounding = 1e-12;       // distances below it are 0

/// Both in units of R, so that R = 1.
double unit_of(double spacing) {
  return std::min(spacing / sqrt_12, 1.0);
}

/// From the coarsest spacing that matters (all numbers at one point) down to the least. Stretching a pattern
/// by a factor 1 + delta moves its points by delta R (RMS): half a step may cost the resolution.
std::vector<double> spacings(double range, double least) {
  std::vector<double> out;
  double s = std::max(range, sqrt_12);
  while (s > least) {
    out.push_back(s);
    s /= 1 + 2 * resolution * unit_of(s);
  }
  out.push_back(least);
  return out;
}

/// Best offset for one spacing. Numbers modulo s lie on a circle; the squared distance to a point o is least,
/// over all cuts of the circle, where o is the mean of the unrolled numbers, and is then their variance. Cuts
/// are tried at the edges of bins.
ArithmeticFit best_offset(std::span<const double> x, double s) {
  constexpr std::size_t bins = 256;
  std::array<double, bins> counts{}, sums{};
  double square = 0, sum = 0;
  const double inverse = 1 / s;
  for (const double value : x) {
    const double turns = value * inverse, u = turns - std::floor(turns);
    const std::size_t bin = std::min(static_cast<std::size_t>(u * bins), bins - 1);
    counts[bin] += 1;
    sums[bin] += u;
    square += u * u;
  }
  for (const double part : sums) sum += part;

  const auto n = static_cast<double>(x.size());
  double below = 0, sum_below = 0, least = 1, best_mean = 0;
  for (std::size_t cut = 0; cut < bins; ++cut) {  // numbers below the cut are unrolled to u + 1
    const double mean = (sum + below) / n;
    const double variance = (square + 2 * sum_below + below) / n - mean * mean;
    if (variance < least) least = variance, best_mean = mean;
    below += counts[cut];
    sum_below += sums[cut];
  }
  return {s * std::sqrt(std::max(0.0, least)) / unit_of(s), s, s * best_mean};
}

/// The distance of (spacing, offset), computed as it is defined, and the least-squares line through the
/// numbers against the integers that they are rounded to.
struct Rounded {
  double distance, spacing, offset;
};
Rounded round_to(std::span<const double> x, double s, double o) {
  const auto n = static_cast<double>(x.size());
  double square = 0, mean_x = 0, mean_q = 0;
  for (const double value : x) {
    const double q = std::nearbyint((value - o) / s), rest = value - o - s * q;
    square += rest * rest;
    mean_x += value / n;
    mean_q += q / n;
  }
  double xq = 0, qq = 0;
  for (const double value : x) {
    const double q = std::nearbyint((value - o) / s) - mean_q;
    xq += q * (value - mean_x);
    qq += q * q;
  }
  const double spacing = qq > 0 ? xq / qq : s;
  return {std::sqrt(square / n) / unit_of(s), spacing, mean_x - spacing * mean_q};
}

ArithmeticFit refine(std::span<const double> x, const ArithmeticFit& start, double least_spacing) {
  constexpr int most_rounds = 30;
  Rounded at = round_to(x, start.spacing, start.offset);
  ArithmeticFit best{at.distance, start.spacing, start.offset};
  for (int round = 0; round < most_rounds && at.spacing >= least_spacing; ++round) {
    const double spacing = at.spacing, offset = at.offset;
    at = round_to(x, spacing, offset);
    if (!(at.distance < best.distance)) break;
    best = {at.distance, spacing, offset};
  }
  return best;
}

/// The coarsest pattern with numbers that are all on this one.
ArithmeticFit coarsest(std::span<const double> x, const ArithmeticFit& fit, double least_spacing) {
  const auto place = [&](double value) {
    return static_cast<std::int64_t>(std::nearbyint((value - fit.offset) / fit.spacing));
  };
  std::int64_t step = 0;
  for (const double value : x) step = std::gcd(step, place(value) - place(x[0]));
  if (step <= 1) return fit;  // 0: the numbers are equal
  const ArithmeticFit sparse{fit.distance, fit.spacing * static_cast<double>(step),
                             fit.offset + fit.spacing * static_cast<double>(place(x[0]))};
  return refine(x, sparse, least_spacing);
}

bool nearer(const ArithmeticFit& a, const ArithmeticFit& b) {
  return std::tie(a.distance, a.spacing) < std::tie(b.distance, b.spacing);
}

}  // namespace

ArithmeticFit arithmetic_distance(std::span<const double> entries, double least_spacing,
                                  const StopToken& stop) {
  double largest = 0, square = 0;
  for (const double entry : entries) largest = std::max(largest, std::abs(entry));
  if (largest == 0) return {};
  for (const double entry : entries) square += (entry / largest) * (entry / largest);
  const double rms = std::sqrt(square / static_cast<double>(entries.size()));  // in units of the largest
  std::vector<double> x;
  for (const double entry : entries) x.push_back(entry / largest / rms);

  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const std::vector<double> grid = spacings(*high - *low, least_spacing);
  std::vector<ArithmeticFit> fits(grid.size());
  parallel_for_each_index(static_cast<std::int64_t>(grid.size()), [&](std::int64_t i) {
    stop.check();
    fits[static_cast<std::size_t>(i)] = best_offset(x, grid[static_cast<std::size_t>(i)]);
  });
  std::sort(fits.begin(), fits.end(), nearer);
  fits.resize(std::min(fits.size(), most_refined));
  parallel_for_each_index(static_cast<std::int64_t>(fits.size()), [&](std::int64_t i) {
    stop.check();
    auto& fit = fits[static_cast<std::size_t>(i)];
    fit = refine(x, fit, least_spacing);
  });
  ArithmeticFit best = *std::min_element(fits.begin(), fits.end(), nearer);
  if (best.distance <= rounding) best = coarsest(x, best, least_spacing);
  best.spacing *= rms * largest;
  best.offset *= rms * largest;
  best.offset -= best.spacing * std::floor(best.offset / best.spacing);
  return best;
}

}  // namespace hardhead::hardness
