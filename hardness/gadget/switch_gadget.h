#pragma once
#include <memory>
#include <vector>

#include "attention/layer/exact.h"
#include "attention/samples/sample_source.h"
#include "hardness/gadget/interpolation.h"

namespace hardhead::hardness {

/// The gadget (k = 2 tokens) that turns a step function of a hidden sum into an attention layer (hardness.h):
///
///     Theta_i = c diag(s) - c t_i e_{j0} e_{j0}^T,   W_i = w_i e_{j0} e_1^T,   c = ln B,
///     Y_{r,1} = x_{r,j0} ( W - 2 [z_{j0} = -1] g(h) ),   h = <s, b>,   W = sum_i w_i,
///     g(h) = sum_i w_i / (1 + B^{2 (h - t_i)}),   all other columns 0.
struct SwitchGadget {
  attention::Index d = 0;                  ///< features
  attention::Index switch_coordinate = 0;  ///< j0
  std::int64_t base = 4;                   ///< B
  std::vector<std::int64_t> s;             ///< d nonnegative integers, s[j0] = 0
  StepWeights steps;                       ///< t_i and w_i
  /// Weight of one further head with Theta = 0 (sigma = 1/2 wherever the switch is on); 0 for none.
  Rational flat_weight = 0;

  /// Throws InputError naming the entry unless d >= 1, B >= 2, s is as above, the steps have a weight each,
  /// and steps.values, if given, has H + 1 entries. exact_layer() and teacher() call it.
  void validate() const;

  Rational weight_sum() const;  ///< W, the flat head included
  /// g(h) for 0 <= h <= H, the flat head included.
  Rational g(long h) const;
  long h_max() const;  ///< H = sum of s
  /// a - 2 g(h) for h = 0 .. H, each rounded to double once. Unlike g() it costs little for steps without
  /// values, however large H is: O(bits / log2 B) operations for each h, in numbers of 320 or 1600 bits
  /// (certified_rounding.h).
  std::vector<double> levels(const Rational& a) const;

  /// The layer itself, in units of (ln B) / 2: one head a step in the order of the steps, the
  /// flat head last.
  attention::ExactLayer exact_layer() const;

  /// Labels as exact values, each rounded to double once (a forward pass would give equal levels as several
  /// doubles, and which one would tell h). A label depends on the level and the sign of x_{r,j0} only, and
  /// zero is always +0.0. Entries of X must be +-1 (not checked). A block of another shape throws InputError.
  std::shared_ptr<const attention::Teacher> teacher() const;
};

/// What labels of a layer behind a switch are read off: Y_{r,1} / x_{r,j0} by h, and where the switch is off.
struct SwitchLabels {
  std::vector<double> on{};  ///< for h = 0 .. H, H the sum of s
  double off = 0;            ///< W
};

/// Labels from a table, as those of SwitchGadget::teacher(): `s` has d entries, 0 at the switch coordinate.
std::shared_ptr<const attention::Teacher> switch_teacher(std::vector<std::int64_t> s,
                                                         attention::Index switch_coordinate,
                                                         const SwitchLabels& labels);

/// What the memory of a gadget depends on.
struct GadgetSize {
  std::int64_t levels = 0;   ///< H + 1
  std::int64_t heads = 0;    ///< steps, and the flat head
  std::int64_t entries = 0;  ///< of each head's matrices that are not 0
  double weight_bits = 0;    ///< of a weight's numerator and denominator together
};
/// Bytes of a gadget with its exact layer and its table of labels, and of making them: an upper bound.
double gadget_bytes(const GadgetSize& size);

/// Bits of a weight of exact_interpolation() with this many steps: 2 steps^2 log2 B.
double exact_weight_bits(std::int64_t steps, std::int64_t base);

/// Whether a layer has the form of the switch gadget, whatever its numbers: every Theta_i
/// is diagonal, all Theta_i that are not 0 agree up to a positive factor but for one entry j0, and in row j0,
/// the same column for all i, is the only entry of W_i that is not 0. On k = 2 tokens of signs its labels are
/// a function of a sum h that should be hidden, and a forward pass in floating point writes equal ones as
/// several doubles, by h. A layer of zeros and one of a single feature do not have it.
bool has_gadget_form(const attention::Layer& layer);

/// Throws InputError for a layer of that form that is to be labelled by its forward pass; `what` is what the
/// message calls it.
void refuse_gadget_form(const attention::Layer& layer, const std::string& what);

}  // namespace hardhead::hardness
