#pragma once
#include <span>

#include "study/binomial_interval.h"

namespace hardhead::study {

/// A fitted number with its 95% interval.
struct Estimate {
  double value = 0;
  Interval interval;
};

/// The exponent b of a law P(score <= eps) ~ eps^b near 0, from the n smallest scores s_1 <= .. <= s_n of a sample:
///
///     b = (n - 2) / sum_{j<n} ln(s_n / s_j),
///
/// unbiased where the law holds up to s_n, since b times the sum is then Gamma(n - 1) distributed; the interval is
/// the exact one of that law (B. Hill, Ann. Statist. 3, 1975, for the lower tail). Throws InputError for fewer
/// than 4 scores, and unless they are positive, ascending and not all equal.
Estimate tail_exponent(std::span<const double> smallest);

/// Least squares of ln y on x: y ~ exp(intercept + rate x), with Student's interval for the rate. For a power law
/// pass ln x. Throws InputError for fewer than 4 points, y <= 0, or x all equal.
struct LogFit {
  Estimate rate;
  double intercept = 0;
  double residual = 0;  ///< root mean square of ln y - fit, n - 2 degrees of freedom
};
LogFit fit_log(std::span<const double> x, std::span<const double> y);

}  // namespace hardhead::study
