#include "base/statistics/median.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

namespace hardhead::statistics {
namespace {

void sort_nan_last(std::vector<double>& values) {
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  sort_nan_last(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;
}

std::int64_t median_interval_rank(std::int64_t n) {
  std::int64_t rank = 0;
  // P[Binomial(n, 1/2) < r] = 1 - I_{1/2}(r, n - r + 1).
  const auto below = [&](std::int64_t r) {
    return boost::math::ibetac(static_cast<double>(r), static_cast<double>(n - r + 1), 0.5);
  };
  while (2 * (rank + 1) <= n && 2 * below(rank + 1) <= 1 - 0.95) ++rank;
  return rank;
}

std::optional<Interval> median_interval(std::vector<double> values) {
  const auto rank = static_cast<std::size_t>(median_interval_rank(std::ssize(values)));
  if (rank == 0) return std::nullopt;
  sort_nan_last(values);
  return Interval{values[rank - 1], values[values.size() - rank]};
}

}  // namespace hardhead::statistics
