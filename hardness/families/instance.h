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

/// The best predictor that is given everything of an instance except what is hidden.
struct NullPredictor {
  /// Its relative squared error E|F - null|^2 / E|F|^2, exactly, where it is known in closed form. For
  /// `staircase` it is that of the LWR labels, which its own labels are near. It is empty where nothing is
  /// hidden: the null predictor is then the best affine function of (x_r, mean row), which study/ fits.
  std::optional<Rational> exact_error;
  std::string description = "the best affine function of (x_r, mean row), fitted on examples";  ///< one line
};

/// The sizes of an instance, which its spec tells before it is made.
struct InstanceShape {
  attention::Index d = 0, k = 0, m = 0;                   ///< features, tokens, heads
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X
  bool forward = true;     ///< labels are a forward pass of the layer; else they are chosen from a table
  double exact_bytes = 0;  ///< of exact weights and labels, and what making them takes besides

  bool operator==(const InstanceShape&) const = default;  ///< all fields

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
  /// are exact, so that a test error is an excess error.
  double label_noise = 0;
  /// Noise of another kind on training labels (families lwe, lpn); null for none.
  std::shared_ptr<const attention::LabelNoise> wrong_labels;

  /// SHA-256 over the canonical spec and the exact content (rationals where there is an exact layer, else the
  /// bytes of theta and w).
  std::string digest;
};

}  // namespace hardhead::hardness
