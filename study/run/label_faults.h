#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/problem/problem.h"
#include "study/run/likely_cause.h"

namespace hardhead::study {

/// What the labels of somebody's own examples have that no layer explains.
struct LabelFaults {
  /// Of the labels' mean square, the share of the constant of the best affine function (null_predictor.h):
  ///
  ///     k ||b||^2 / mean ||Y||^2,   b: the first row of its coefficients.
  ///
  /// Where x and -x are equally likely a layer has none, since F(-X) = -F(X).
  double constant_share = 0;
  /// Examples that are far off, by their numbers in the file, the farthest first: at least far_off times as
  /// far from the layer that was found, or from the best affine function, as the median example is. None
  /// where more than one in a hundred is.
  std::vector<std::int64_t> outliers{};
  double farthest = 0;        ///< times the median distance, of the first of them
  std::int64_t examples = 0;  ///< that were looked at

  static constexpr double far_off = 20;        ///< see outliers
  static constexpr double least_share = 0.02;  ///< of a constant part that is spoken of

  bool has_constant() const { return constant_share >= least_share; }  ///< large enough to speak of
  /// What to do, in sentences; empty where there is no fault.
  std::string str() const;
  /// The greater one as a cause; empty where there is no fault.
  std::optional<LikelyCause> cause() const;
};

/// Of a problem that was made of a data file, in one pass over its examples; without faults of any other.
/// `layer` null: none was found. Throws Stopped.
LabelFaults label_faults(const Problem& problem, const attention::Layer* layer, RunContext context);

}  // namespace hardhead::study
