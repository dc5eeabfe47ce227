#pragma once
#include <optional>
#include <string>

#include "base/run/run_context.h"
#include "study/problem/problem.h"

namespace hardhead::study {

/// What a learner's failure is put down to.
struct LikelyCause {
  /// The name that stands for noise on training labels.
  static constexpr const char* label_noise = "label_noise";

  std::string condition;  ///< a condition of the niceness certificate, or label_noise
  /// The factor by which the layer misses the condition, empty where it is above 1e6. Of label noise its
  /// standard deviation relative to the labels, empty for noise of another kind.
  std::optional<double> factor{};

  /// "theta_norm (16)", or the condition alone.
  std::string str() const;
  /// The inverse of str(), up to the digits that it writes.
  static LikelyCause parse(const std::string& text);
};

/// The condition of the niceness certificate (hardness/niceness/niceness.h) that the layer misses by the
/// largest factor in its constant, compared with a nice layer of as many heads of the same size. Label noise
/// comes first.
///
///     shortfall = constant at which the verdict flips (its inverse where a value is to be at least that)
///     factor    = shortfall / max(1, shortfall of a nice layer of norms 2 and 1)
///
/// Empty if no factor is above 1.8, or where the layer is not known. A guess: that a condition fails does not
/// show that it is what defeats the learner. Throws Stopped.
std::optional<LikelyCause> likely_cause(const Problem& problem, const RunContext& context = {});

}  // namespace hardhead::study
