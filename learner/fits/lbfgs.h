#pragma once
#include "learner/method.h"

namespace hardhead::learner {

/// The learner `lbfgs`: full-batch L-BFGS on all of (Theta, W), by libLBFGS (J. Nocedal's method, N.
/// Okazaki's library), a first-order baseline in double. History 50; line search of More and Thuente, which
/// satisfies the strong Wolfe conditions (1e-4, 0.9); objective sum ||F(X) - Y||^2 / sum ||Y||^2 (loss.h).
///
/// Examples, hold-out and starts are those of `gauss-newton`: examples_for(m) of them (fitting.h), a tenth
/// held back, Theta_i from start_thetas() (fitting.h) and W by least squares, at most `starts` (which share
/// `iterations`) until one predicts the held-back examples exactly. m is `student`, or the stated number of
/// heads, or 8. With the option `rank`, heads are fitted in factors, from examples and starts as
/// `gauss-newton` takes them (factored_fits.h).
///
/// A start ends when its relative training error is at most 1e-24 ("converged"), has fallen by less than 1%
/// over 50 iterations ("stalled"), or as libLBFGS says, whose codes become the outcome by name
/// ("LBFGSERR_MAXIMUMITERATION"). The learner has `finished` if held-back examples are predicted exactly, and
/// else fails in phase `fit_m_heads` with the best error and how that start ended.
extern const Method lbfgs_method;

}  // namespace hardhead::learner
