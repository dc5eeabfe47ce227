#include "base/statistics/ratio_interval.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace hardhead::statistics {

void RatioSums::add(double first, double second) {
  x += first;
  y += second;
  xx += first * first;
  xy += first * second;
  yy += second * second;
  ++count;
}

void RatioSums::join(const RatioSums& other) {
  x += other.x;
  y += other.y;
  xx += other.xx;
  xy += other.xy;
  yy += other.yy;
  count += other.count;
}

std::optional<Interval> ratio_interval(const RatioSums& sums) {
  if (sums.count < 2 || !(sums.y > 0)) return std::nullopt;
  const auto n = static_cast<double>(sums.count);
  const double q = sums.x / sums.y;
  // Exactly 0 where x_n = q y_n for all n; rounding may leave a little below.
  const double squares = std::max(0.0, sums.xx - 2 * q * sums.xy + q * q * sums.yy);
  const boost::math::students_t student(n - 1);
  const double half = quantile(student, (1 + 0.95) / 2) * std::sqrt(n / (n - 1) * squares) / sums.y;
  return Interval{q - half, q + half};
}

}  // namespace hardhead::statistics
