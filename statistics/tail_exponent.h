#pragma once
#include <span>
#include <vector>

#include "statistics/binomial_interval.h"

namespace hardhead::statistics {

/// A fitted number with its 95% interval.
struct Estimate {
  double value = 0;   ///< the estimate
  Interval interval;  ///< around it
};

/// The exponent b of a law P(score <= eps) ~ eps^b near 0, from the n smallest scores s_1 <= .. <= s_n of a
/// sample:
///
///     b = (n - 2) / sum_{j<n} ln(s_n / s_j),
///
/// unbiased where the law holds up to s_n, since b times the sum is then Gamma(n - 1) distributed; the
/// interval is the exact one of that law (B. Hill, Ann. Statist. 3, 1975, for the lower tail). Throws
/// InputError for fewer than 4 scores, and unless they are positive, ascending and not all equal.
Estimate tail_exponent(std::span<const double> smallest);

/// The same from several samples whose laws have one exponent and constants of their own, C_l eps^b: each
/// sample's sum is Gamma distributed with the same rate b, and so is their sum. Throws for each sample as
/// above, and for no sample.
Estimate pooled_tail_exponent(std::span<const std::vector<double>> smallest);

}  // namespace hardhead::statistics
