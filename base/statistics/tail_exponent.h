#pragma once
#include <span>
#include <vector>

#include "base/statistics/binomial_interval.h"

namespace hardhead::statistics {

/// A fitted number with its 95% interval.
struct Estimate {
  double value = 0;   ///< the estimate
  Interval interval;  ///< around it
};

/// The exponent b of laws P(score <= eps) ~ C eps^b near 0, from the n smallest scores s_1 <= .. <= s_n of
/// each sample; each sample has a constant C of its own. With one sample it is
///
///     b = (n - 2) / sum_{j<n} ln(s_n / s_j),
///
/// unbiased where the law holds up to s_n, since b times the sum is then Gamma(n - 1) distributed; the
/// interval is the exact one of that law (B. Hill, Ann. Statist. 3, 1975, for the lower tail). With several
/// the sums are added, and so are their shapes n - 1. Throws InputError for no sample, for fewer than 4
/// scores in one, and unless they are positive, ascending and not all equal.
Estimate tail_exponent(std::span<const std::vector<double>> smallest);

}  // namespace hardhead::statistics
