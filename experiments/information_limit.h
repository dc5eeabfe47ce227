#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/run/run_context.h"
#include "base/statistics/median.h"
#include "lwe/problem/posterior.h"

namespace hardhead::experiments {

/// Examples after which the posterior gives what is hidden probability 1/2, one number a draw. The switch is
/// on in half of all examples, so that a sample is counted as two of them.
struct InformationDraws {
  std::vector<double> examples;  ///< one a draw

  /// Over the draws.
  double median() const { return statistics::median(examples); }
  /// Of the median, 95%.
  std::optional<statistics::Interval> interval() const { return statistics::median_interval(examples); }
};

/// Draws of seeds first, first + 1, .. Throws as lwe::samples_to_determine().
inline InformationDraws draw_information(const lwe::ProblemParameters& parameters, std::uint64_t first,
                                         std::int64_t draws, const StopToken& stop) {
  constexpr double examples_a_sample = 2;
  constexpr std::int64_t most_samples = 4096;
  InformationDraws out;
  for (std::int64_t i = 0; i < draws; ++i) {
    const auto samples =
        lwe::samples_to_determine(parameters, first + static_cast<std::uint64_t>(i), most_samples, stop);
    if (samples)
      out.examples.push_back(examples_a_sample * static_cast<double>(std::max<std::int64_t>(*samples, 1)));
  }
  return out;
}

}  // namespace hardhead::experiments
