#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "study/scaling.h"

namespace hardhead::study {

/// What was measured at one x: one positive y for each seed (seconds, examples, queries).
struct GrowthPoint {
  double x = 0;
  std::vector<double> y;
};

/// One law's fit to ln(median y) by least squares.
struct GrowthLaw {
  Estimate rate;         ///< with the 95% percentile interval of the bootstrap
  double intercept = 0;  ///< ln y = intercept + rate ln x, or intercept + rate x
  double residual = 0;   ///< root mean square of ln y - fit over the points
};

/// How y grows with x, by both laws side by side:
///
///     power:        y = e^intercept x^rate
///     exponential:  y = e^intercept e^(rate x)
struct Growth {
  GrowthLaw power, exponential;
  enum class Prefers { power, exponential, neither };
  /// The law whose squared residuals are smaller in at least 95% of the resamples; else neither.
  Prefers prefers = Prefers::neither;
  double power_share = 0;  ///< of the resamples in which the power law fits better

  /// "x^2.1 (1.9 .. 2.3) or e^(0.4 x) (0.3 .. 0.5); the data prefer the power law (0.99)".
  std::string str(const std::string& x) const;
};

/// Fits both laws; resamples the seeds of each x `resamples` times with replacement, by a generator that
/// `seed` addresses. Throws InputError for fewer than 3 different x (naming how many there are), x <= 0, y <= 0, or a point without y.
Growth fit_growth(const std::vector<GrowthPoint>& points, std::uint64_t seed = 1, int resamples = 2000);

}  // namespace hardhead::study
