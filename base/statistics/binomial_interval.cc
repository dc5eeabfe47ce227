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

namespace {

/// Places that have one share.
struct Pool {
  Successes sum;
  std::size_t places = 0;

  double share() const { return static_cast<double>(sum.successes) / static_cast<double>(sum.trials); }
};

}  // namespace

std::vector<double> nondecreasing_shares(const std::vector<Successes>& places) {
  std::vector<Pool> pools;
  for (const Successes& place : places) {
    if (place.trials < 1 || place.successes < 0 || place.successes > place.trials)
      throw InputError(fmt::format("{} successes of {} trials: 0 .. trials of at least 1 are expected",
                                   place.successes, place.trials));
    pools.push_back({place, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].share() > pools.back().share()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum.successes += last.sum.successes;
      pools.back().sum.trials += last.sum.trials;
      pools.back().places += last.places;
    }
  }
  std::vector<double> out;
  for (const Pool& pool : pools) out.insert(out.end(), pool.places, pool.share());
  return out;
}

}  // namespace hardhead::statistics
