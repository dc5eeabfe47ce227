#pragma once
#include "learner/method.h"

namespace hardhead::learner {

/// The learners `adam`, `sgd` and `sign-sgd`: stochastic gradients (optimiser.h) on a student of the shape
/// that the options name (student.h), in single precision, then Gauss-Newton in double.
///
/// A descent takes T steps. Each step takes the next `batch` examples (batches.h), or all there are if they
/// are fewer, and follows the gradient of
///
///     sum ||F(X) - Y||^2 / (batch * mean ||Y||^2)   or   sum |F(X) - Y| / (batch * mean |Y|),
///
/// where the means are those of the held-back examples. It then moves every entry of a full Theta_i off the
/// diagonal towards 0 by rate * shrinkage * min(1, held-back error) (student.h): a step of Adam or of signs
/// is as long in a direction of pure noise as in any other, and the d^2 - d entries off the diagonal, which
/// mostly are such directions at the start, would otherwise drown the diagonal before it has learnt anything.
/// As the error falls the penalty goes away, so that it does not bias what is learnt. Up to 2000 examples, at
/// most a tenth, are held back. They judge the student at fixed steps, and the best layer is kept. A descent
/// ends when the held-back error is at most `until` (1e-6), when it has not fallen by a hundredth for
/// `patience` steps, when examples that have been taken twice are fitted a hundred times better than others
/// (squared loss), or after its last step. Up to `starts` descents are made, each from other random
/// parameters, until one ends with such an error.
///
/// As soon as the held-back error is at most 0.01, 1e-4 and `until`, a polish merges heads of about the same
/// attention form (prune.h) and runs Gauss-Newton (gauss_newton.h) from there, in double, for about a tenth
/// of the descent's time. If held-back examples are then predicted exactly, the run is done; else the descent
/// goes on. A polish leaves out layers whose matrices would be too large (more than 2048 columns of all W_i).
///
/// With `width`, a network of that many units stands behind the student's heads (student_network.h), and a
/// polish fits both (network/network_squares.h).
///
/// `finished` if held-back examples are predicted exactly or the held-back error is at most `until`; else it
/// fails in phase `descent`: the steps ran out, the error stopped falling, or the parameters overflowed.
extern const Method adam_method;
/// As adam_method, by UpdateRule::sgd.
extern const Method sgd_method;
/// As adam_method, by UpdateRule::sign_sgd.
extern const Method sign_sgd_method;

}  // namespace hardhead::learner
