#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "base/statistics/binomial_interval.h"

namespace hardhead::statistics {
namespace {

struct Count {
  std::int64_t successes, trials;
};

Count draw_count() {
  const auto trials = *rc::gen::inRange<std::int64_t>(1, 2000);
  return {*rc::gen::inRange<std::int64_t>(0, trials + 1), trials};
}

double draw_confidence() {
  return *rc::gen::inRange(1, 1000) / 1000.0;
}

RC_GTEST_PROP(ClopperPearsonProperties, HoldsTheObservedShareWithinZeroAndOne, ()) {
  const auto [successes, trials] = draw_count();
  const Interval interval = clopper_pearson(successes, trials, draw_confidence());
  const double share = static_cast<double>(successes) / static_cast<double>(trials);
  // Less than an ulp or two of the inverse beta function.
  RC_ASSERT(interval.low <= share * (1 + 1e-12));
  RC_ASSERT(interval.high >= share * (1 - 1e-12));
  RC_ASSERT(interval.low >= 0);
  RC_ASSERT(interval.high <= 1);
  RC_ASSERT((interval.low == 0) == (successes == 0));
  RC_ASSERT((interval.high == 1) == (successes == trials));
}

RC_GTEST_PROP(ClopperPearsonProperties, MoreConfidenceMeansAWiderInterval, ()) {
  const auto [successes, trials] = draw_count();
  const double a = draw_confidence(), b = draw_confidence();
  const Interval narrow = clopper_pearson(successes, trials, std::min(a, b)),
                 wide = clopper_pearson(successes, trials, std::max(a, b));
  RC_ASSERT(wide.low <= narrow.low + 1e-14);
  RC_ASSERT(narrow.high <= wide.high + 1e-14);
}

RC_GTEST_PROP(ClopperPearsonProperties, SuccessesAndFailuresAreSymmetric, ()) {
  const auto [successes, trials] = draw_count();
  const double confidence = draw_confidence();
  const Interval own = clopper_pearson(successes, trials, confidence),
                 other = clopper_pearson(trials - successes, trials, confidence);
  RC_ASSERT(std::abs(own.low - (1 - other.high)) < 1e-12);
  RC_ASSERT(std::abs(own.high - (1 - other.low)) < 1e-12);
}

RC_GTEST_PROP(ClopperPearsonProperties, OneMoreSuccessMovesBothEndsUp, ()) {
  const auto [successes, trials] = draw_count();
  RC_PRE(successes < trials);
  const double confidence = draw_confidence();
  const Interval own = clopper_pearson(successes, trials, confidence),
                 more = clopper_pearson(successes + 1, trials, confidence);
  RC_ASSERT(own.low < more.low);
  RC_ASSERT(own.high < more.high || own.high == 1 || more.high == 1);
}

// The definition, by another function: at either end what was seen, or more of it, has the probability of a
// tail.
RC_GTEST_PROP(ClopperPearsonProperties, TheEndsAreWhereTheTailsSay, ()) {
  const auto [successes, trials] = draw_count();
  const double confidence = draw_confidence(), tail = (1 - confidence) / 2;
  const Interval interval = clopper_pearson(successes, trials, confidence);
  const auto n = static_cast<double>(trials), s = static_cast<double>(successes);
  using boost::math::binomial;
  if (successes > 0) RC_ASSERT(std::abs(cdf(complement(binomial(n, interval.low), s - 1)) - tail) < 1e-9);
  if (successes < trials) RC_ASSERT(std::abs(cdf(binomial(n, interval.high), s) - tail) < 1e-9);
}

}  // namespace
}  // namespace hardhead::statistics
