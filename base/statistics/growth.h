#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/statistics/tail_exponent.h"

namespace hardhead::statistics {

/// What was measured at one x: one positive y for each seed (seconds, examples, queries).
struct GrowthPoint {
  double x = 0;           ///< what was varied
  std::vector<double> y;  ///< one a seed
};

/// One law's fit to ln(median y) by least squares.
struct GrowthLaw {
  Estimate rate;         ///< with the 95% percentile interval of the resamples
  double intercept = 0;  ///< ln y = intercept + rate ln x, or intercept + rate x
  double residual = 0;   ///< root mean square of ln y - fit over the points
};

/// How y grows with x, by both laws side by side:
///
///     power:        y = e^intercept x^rate
///     exponential:  y = e^intercept e^(rate x)
///
/// The noise, from N values of y at p different x:
///
///     deviations    ln y - (mean of ln y at that x), times sqrt(N / (N - p)); nu = N - p is what they know
///                   of the scale. They are pooled: ln y is taken to spread alike at all x, since a few
///                   seeds at one x say too little about its spread.
///     one y at      the seeds do not tell the noise (N = p); residuals stand for it, times
///     each x        sqrt(p / (p - 2)), nu = p - 2: for a law's interval those of this law, for the
///                   comparison those of the law that fits better
///
/// A resample draws as many deviations as there are seeds at each x, times one sqrt(nu / chi^2_nu) because
/// the scale is an estimate (Student's correction), and adds their median to ln(median y).
///
/// How often the interval holds the true rate, measured with log-normal noise, 3 or 4 x and 1 to 5 seeds
/// (growth_test): 0.92 to 0.99, or 0.88 if the spread grows fourfold along x. It covers the noise, not a law
/// that does not hold.
struct Growth {
  GrowthLaw power, exponential;  ///< the two fits
  /// Which law the data tell from the other.
  enum class Prefers { power, exponential, neither };
  /// The law whose squared residuals are smaller in at least 95% of the resamples; else neither. Where the
  /// laws can hardly be told apart, the wrong one is preferred in up to about 5% of studies.
  Prefers prefers = Prefers::neither;
  double power_share = 0;  ///< of the resamples in which the power law fits better; a tie counts half

  /// "x^2.1 (1.9 .. 2.3) or e^(0.4 x) (0.3 .. 0.5); the data prefer the power law (0.99)".
  std::string str(const std::string& x) const;
};

/// Fits both laws and resamples the noise `resamples` times by a generator that `seed` addresses. Points of
/// the same x are one. Throws InputError for fewer than 3 different x (naming how many there are), x <= 0, y
/// <= 0, a point without y, or resamples < 1.
Growth fit_growth(const std::vector<GrowthPoint>& points, std::uint64_t seed = 1, int resamples = 2000);

}  // namespace hardhead::statistics
