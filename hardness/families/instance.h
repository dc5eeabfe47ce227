#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention/forward/memory.h"
#include "attention/layer/exact.h"
#include "attention/samples/label_noise.h"
#include "base/text/spec.h"

namespace hardhead::hardness {

/// The best function of what a label depends on in public, which a learner's error is compared with: of the
/// switch and x_(r,j0) where the family has a switch, with q, p, W and kappa known. It does not reason about
/// what is hidden: it neither averages the labels of all members that could be meant (hardness.h,
/// concepts/all_members.h) nor takes from the number of heads what that says of the member.
struct NullPredictor {
  /// Its relative squared error E|F - null|^2 / E|F|^2, exactly, where it is known in closed form. For
  /// `staircase` it is that of the LWR labels, which its own labels are near. It is empty where nothing is
  /// hidden: the null predictor is then the best affine function of (x_r, mean row), which study/ fits.
  std::optional<Rational> exact_error;
  /// The least relative squared error on labels that have the law of this member's given the switch and are
  /// independent of all else: that of their mean. Below exact_error where the null predictor does not know
  /// the mean, for it depends on what is hidden. Empty where exact_error is.
  std::optional<Rational> unrelated_error{};
  std::string description = "the best affine function of (x_r, mean row), fitted on examples";  ///< one line
};

/// The sizes of an instance, which its spec tells before it is made.
struct InstanceShape {
  attention::Index d = 0, k = 0, m = 0;                   ///< features, tokens, heads
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X
  bool forward = true;     ///< labels are a forward pass of the layer; else they are chosen from a table
  double exact_bytes = 0;  ///< of exact weights and labels, and what making them takes besides

  bool operator==(const InstanceShape&) const = default;

  /// What forward passes of the layer depend on.
  attention::PassShape pass() const;
  /// Bytes of the instance, with what its labels are computed by, and of making it: an upper bound of its
  /// arrays.
  double bytes() const;
  /// Bytes that a thread takes to label a block of examples.
  double label_bytes() const;
};

/// One member of a family: validated, heavy, made once from a spec.
struct Instance {
  Spec spec;               ///< canonical: every parameter, in the family's order
  attention::Index k = 0;  ///< tokens of an example
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X
  attention::Layer layer;                                 ///< what is to be learnt
  std::optional<attention::ExactLayer> exact;             ///< where the family has one; layer is it, rounded
  std::shared_ptr<const attention::Teacher> teacher;      ///< labels: exact values where the family has them
  NullPredictor null;                                     ///< the best predictor without what is hidden
  std::vector<attention::Index> hidden;  ///< parity: the hidden set, sorted; lwr, staircase: the secret's
                                         ///< entries; empty where nothing is hidden
  /// Standard deviation of Gaussian noise on training labels, in units of their root mean square. Test labels
  /// are exact, and this noise has mean 0: a test error is an excess error.
  double label_noise = 0;
  /// Noise of another kind on training labels (families lwe, lpn); null for none.
  std::shared_ptr<const attention::LabelNoise> wrong_labels;
  /// Relative squared error, on exact labels, of E[training label | X]: what regression on noisy labels tends
  /// to, however many it has. Noise mod q has no mean 0, so that this is above 0 for `lwe` and `lpn`: 2
  /// rate^2 for `lpn`. An advantage is measured between it and the null error. 0 where noise has mean 0, and
  /// where it is no less than the null error, so that nothing is between them.
  Rational ceiling_error = 0;

  /// SHA-256 over the canonical spec and the exact content (rationals where there is an exact layer, else the
  /// bytes of theta and w).
  std::string digest;
};

}  // namespace hardhead::hardness
