#pragma once
#include <cstdint>
#include <optional>

#include "base/statistics/binomial_interval.h"

namespace hardhead::statistics {

/// Sums over pairs (x_n, y_n) that are drawn independently of each other: all that the ratio of their means
/// and its interval need.
struct RatioSums {
  double x = 0, y = 0;            ///< sum x_n, sum y_n
  double xx = 0, xy = 0, yy = 0;  ///< sum x_n^2, sum x_n y_n, sum y_n^2
  std::int64_t count = 0;         ///< N

  /// One more pair.
  void add(double first, double second);
  /// The pairs of another sum as well.
  void join(const RatioSums& other);
};

/// 95% interval for E x / E y, from N independent pairs, by the normal approximation of the ratio estimate:
///
///     q = sum x_n / sum y_n,     q +- t sqrt( N / (N - 1) sum (x_n - q y_n)^2 ) / sum y_n,
///
/// t the quantile 0.975 of Student's distribution with N - 1 degrees of freedom. x_n and y_n
/// may depend on each other: where they nearly agree, so that they move together, the interval is short.
/// Empty for N < 2 and for sums of y that are not above 0.
std::optional<Interval> ratio_interval(const RatioSums& sums);

}  // namespace hardhead::statistics
