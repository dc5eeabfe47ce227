#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "attention/block.h"
#include "base/run_control.h"
#include "learner/learner.h"

namespace hardhead::learner {

struct GaussNewtonOptions {
  int iterations = 100;         ///< at most so many accepted or rejected steps
  int inner_iterations = 200;   ///< conjugate gradient steps for each
  double target = 1e-29;        ///< relative training error at which there is nothing left to gain
  int patience = 30;            ///< steps without a new best held-back error before giving up
  double first_damping = 1e-3;  ///< relative to the preconditioner
};

struct GaussNewtonResult {
  attention::Layer layer;
  double training_error = 1;  ///< relative, sum ||F - Y||^2 / sum ||Y||^2
  double holdout_error = 1;   ///< the same on examples the fit has not seen
  int iterations = 0;
  int inner_steps = 0;
  std::string ending;  ///< "converged", "stalled", "held-back error stopped falling", "iteration limit"
};

/// Damped Gauss-Newton (Levenberg-Marquardt) on all of (Theta, W) from a given start.
///
/// Each step solves (J^T J + mu M) delta = -J^T r by preconditioned conjugate gradients, M the preconditioner
/// of Linearisation, to a relative residual of min(0.1, sqrt(relative error)) so that convergence ends
/// quadratic. mu follows the gain ratio rho = actual / predicted decrease (K. Madsen, H. Nielsen, O.
/// Tingleff, "Methods for non-linear least squares problems", 2004): a step is taken if rho > 0. Stops at the
/// target, when the decrease is below 1e-3 for five steps on end, when held-back error has not improved for
/// `patience` steps, or at the iteration limit. Heuristic: no guarantee from a random start.
GaussNewtonResult gauss_newton(const std::vector<attention::Block>& training,
                               const std::vector<attention::Block>& holdout, attention::Layer start,
                               const GaussNewtonOptions& options, const RunControl& control,
                               std::string_view phase);

/// The learner `gauss-newton`: from small random starts, for the stated number of heads or for 1, 2, .. heads
/// until held-back examples are predicted exactly.
extern const Method gauss_newton_method;

}  // namespace hardhead::learner
