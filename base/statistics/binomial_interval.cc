#include "base/statistics/binomial_interval.h"

#include <fmt/format.h>

#include <boost/math/special_functions/beta.hpp>

#include "base/error.h"

namespace hardhead::statistics {

Interval clopper_pearson(std::int64_t successes, std::int64_t trials, double confidence) {
  if (successes < 0 || successes > trials)
    throw InputError(
        fmt::format("{} successes of {} trials: 0 <= successes <= trials is expected", successes, trials));
  if (!(confidence > 0 && confidence < 1))
    throw InputError(fmt::format("confidence {}: a number above 0 and below 1 is expected", confidence));
  const auto s = static_cast<double>(successes), n = static_cast<double>(trials);
  const double tail = (1 - confidence) / 2;
  Interval interval;
  if (successes > 0) interval.low = boost::math::ibeta_inv(s, n - s + 1, tail);
  if (successes < trials) interval.high = boost::math::ibeta_inv(s + 1, n - s, 1 - tail);
  return interval;
}

}  // namespace hardhead::statistics
