#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/statistics/binomial_interval.h"

namespace hardhead::statistics {

/// Middle value, or the mean of the two middle ones; NaN for none. NaN entries sort last.
double median(std::vector<double> values);

/// The largest r >= 1 for which the r-th smallest and the r-th largest of n independent values enclose the
/// median of their distribution with probability 95% at least, whatever the distribution:
///
///     2 P[ Binomial(n, 1/2) < r ] <= 1 - 0.95.
///
/// 0 if there is none: for fewer than 6 values.
std::int64_t median_interval_rank(std::int64_t n);

/// The interval between those two values: exact, without assumptions on the distribution. Empty where the
/// rank is 0.
std::optional<Interval> median_interval(std::vector<double> values);

}  // namespace hardhead::statistics
