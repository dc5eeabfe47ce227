#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/run/run_context.h"
#include "study/problem/problem.h"

namespace hardhead::study {

/// What a learner's failure is put down to.
struct LikelyCause {
  /// The name that stands for noise on training labels.
  static constexpr const char* label_noise = "label_noise";
  /// All heads cancel: sum_i W_i = 0. With attention at uniform, the layer is then 0, and phase 1 of the
  /// theorem, which everything else rests on, has nothing to estimate.
  static constexpr const char* w_sum_zero = "W_sum = 0";
  /// All Theta_i that are not 0 are multiples of one matrix, and not all the same (one head would do then):
  /// the heads attend by one number each, and their affine hull is a line through 0.
  static constexpr const char* identical_directions = "identical directions";

  /// A network behind the heads, of which a learner of heads alone finds none.
  static constexpr const char* network = "network behind the heads";

  /// Of somebody's own examples, by label_faults(); the factor is the share of a constant part, or how far
  /// off the farthest example is.
  static constexpr const char* constant_labels = "constant part of the labels";
  static constexpr const char* outliers = "labels far off";  ///< likewise

  std::string condition;  ///< one of the above, or a condition of the niceness certificate
  /// The factor by which the layer misses the condition, empty where it is above 1e6. Of label noise its
  /// standard deviation relative to the labels, empty for noise of another kind.
  std::optional<double> factor{};

  /// "theta_norm (16)", or the condition alone.
  std::string str() const;
  /// The inverse of str(), up to the digits that it writes.
  static LikelyCause parse(const std::string& text);
};

/// The noise on a problem's training labels, where there is any and the layer is known.
std::optional<LikelyCause> noise_cause(const Problem& problem);

/// What makes a layer hard for every learner, measured on the layer up to rounding, whatever its family says:
/// noise on its labels, or else a network behind its heads, or else W_sum = 0, or else identical directions.
/// Empty where there is none of them, or where the layer is not known.
std::optional<LikelyCause> hard_cause(const Problem& problem);

/// hard_cause(), or else the condition of the niceness certificate (hardness/niceness/niceness.h) that the
/// layer misses by the largest factor in its constant, compared with a nice layer of as many heads of the
/// same size.
///
///     shortfall = constant at which the verdict flips (its inverse where a value is to be at least that)
///     factor    = shortfall / max(1, shortfall of a nice layer of norms 2 and 1)
///
/// Empty if no factor is above 1.8, or where the layer is not known. A guess: that a condition fails does not
/// show that it is what defeats the learner. The conditions are those of the upper bound's algorithm, so that
/// of other learners than the six phases they say nothing. Throws Stopped.
std::optional<LikelyCause> likely_cause(const Problem& problem, const RunContext& context = {});

/// Bytes that likely_cause() takes at most for a true layer of m heads.
double likely_cause_bytes(attention::Index d, attention::Index m);

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
