#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/statistics/binomial_interval.h"
#include "base/text/enum_names.h"

namespace hardhead::study {

/// How well a layer was learnt, from least to most.
enum class Degree {
  nothing,    ///< no better than the null predictor, as far as the test tells
  partly,     ///< the 95% interval of the advantage lies above 0
  learnt,     ///< advantage of at least learnt_advantage
  recovered,  ///< test error of at most RunOptions::recovery
};

/// The least advantage of a layer that counts as learnt.
inline constexpr double learnt_advantage = 0.99;

constexpr auto enum_names(Degree) {
  return std::to_array<EnumName<Degree>>({{Degree::recovered, "recovered"},
                                          {Degree::learnt, "learnt"},
                                          {Degree::partly, "partly"},
                                          {Degree::nothing, "nothing"}});
}

/// What a degree is decided by.
struct DegreeMeasures {
  double test_error = 1;                                     ///< Score::test_error
  double recovery = 0;                                       ///< RunOptions::recovery
  double advantage = 0;                                      ///< Score::advantage
  std::optional<statistics::Interval> advantage_interval{};  ///< Score::advantage_interval
};

/// The first that applies:
///
///     recovered   test error <= recovery
///     learnt      advantage >= learnt_advantage
///     partly      advantage > 0, and the low end of its interval > 0
///     nothing     advantage <= 0 or not a number, or the low end <= 0
///
/// Empty where this needs an interval and there is none: for 0 < advantage < learnt_advantage. The interval
/// is two-sided, of 95%: a learner that is exactly as good as the null predictor is called `partly` in one
/// run of forty.
std::optional<Degree> degree_of(const DegreeMeasures& measures);

/// How many of several runs reached each degree.
struct DegreeCounts {
  std::int64_t recovered = 0, learnt = 0, partly = 0, nothing = 0;  ///< runs of exactly this degree
  std::int64_t unknown = 0;                                         ///< runs whose degree is not known

  /// One more run.
  void add(const std::optional<Degree>& degree);
  /// All runs.
  std::int64_t total() const { return recovered + learnt + partly + nothing + unknown; }
  /// Runs that learnt or recovered the layer.
  std::int64_t at_least_learnt() const { return recovered + learnt; }
  /// "recovered 2, learnt 1 of 3": degrees that no run has are left out; "-" for no run.
  std::string str() const;
};

}  // namespace hardhead::study
