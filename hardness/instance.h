#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention/exact.h"
#include "attention/label_noise.h"
#include "base/spec.h"

namespace hardhead::hardness {

/// The best predictor that knows all of an instance but what is hidden.
struct NullPredictor {
  /// Its relative squared error E|F - null|^2 / E|F|^2, exactly, where it is known in closed form (`staircase`: that
  /// of the LWR labels, which its own are near); empty where nothing is hidden (then it is the best affine function of (x_r, mean row), fitted in study/).
  std::optional<Rational> exact_error;
  std::string description = "the best affine function of (x_r, mean row), fitted on examples";  ///< one line
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
