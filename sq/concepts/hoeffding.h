#pragma once
#include <cmath>

namespace hardhead::sq {

/// Hoeffding's inequality (JASA 58, 1963): the mean of N independent values in an interval of length `range`
/// is within h of its expectation but for a probability of at most `risk` = 2 exp(-2 N h^2 / range^2). This
/// is h.
inline double hoeffding_half_width(double range, double samples, double risk) {
  return range * std::sqrt(std::log(2 / risk) / (2 * samples));
}

/// And this is N, not rounded.
inline double hoeffding_samples(double range, double half_width, double risk) {
  return range * range * std::log(2 / risk) / (2 * half_width * half_width);
}

}  // namespace hardhead::sq
