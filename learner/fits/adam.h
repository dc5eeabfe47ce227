#pragma once
#include "learner/learner.h"

namespace hardhead::learner {

/// The learner `adam`: stochastic gradients on fresh examples (D. Kingma, J. Ba, "Adam: a method for
/// stochastic optimization", 2015; beta = 0.9, 0.999), a first-order baseline.
///
/// Step t of T takes the next `batch` examples, never one twice before the source's (or the task's) run out;
/// then it goes round. The objective is their sum ||F(X) - Y||^2 over batch times the mean ||Y||^2 of the
/// held-back examples; with g its gradient (loss.h),
///
///     a <- 0.9 a + 0.1 g,  b <- 0.999 b + 0.001 g^2,  x <- x - rate_t * a_hat / (sqrt(b_hat) + 1e-12),
///     rate_t = rate / 2 * (1 + cos(pi t / T)),  a_hat = a / (1 - 0.9^t),  b_hat = b / (1 - 0.999^t),
///
/// from Theta_i and W_i Gaussian of norm `start_norm`. Up to 2000 examples, at most a tenth, are held back;
/// every 100 steps they judge the layer, and the best is kept.
///
/// `finished` as soon as held-back examples are predicted exactly; else it fails in phase `descent`: steps
/// ran out, or the parameters are not finite any more.
extern const Method adam_method;

}  // namespace hardhead::learner
