#pragma once
#include "attention/layer/layer.h"

namespace hardhead::learner {

/// What predictions of a run's time (Learner::predicted_seconds) are made of: passes over examples. A pass is
/// a loss with its gradient, a product with a linearisation's normal matrix, or the labels that a simulated
/// source computes. With m heads, N examples of k tokens take
///
///     N m (4 k d^2 + 4 k^2 d) operations:   X Theta, P X and their transposes, X Theta X^T and P X
///
/// at 11e9 a second on a core, measured at 2.6 GHz with AVX2: less at d = 8, more at d = 64. How many passes
/// a learner takes was measured on nice layers, d = 8 .. 32, k = 3, m = 1 .. 4:
///
///     phase1         1/2: reading its examples
///     gauss-newton   100 with m heads; where m is not stated, before that 2 to count heads
///     lbfgs          150
///     adam, sgd,     1/4 on a batch, since it is in single precision, for each of 500 + 5/2 d^2 steps, or
///     sign-sgd       of all it may take; m is the student's number of heads
///     sculpt, paper  plan.h
///
/// Measured over predicted was 0.70 to 1.38 for gauss-newton, 0.52 to 0.95 for lbfgs, 0.44 to 1.6 for adam,
/// 0.36 to 1.75 for sculpt, on such layers and one core (21 November 2026; `hardhead sweep
/// docs/studies/costs.toml` runs them again); phase1 takes 3 ms and more where less is predicted. Cores count
/// as if work were shared without loss, which it is not at small d.
///
/// A layer of which nothing is learnt costs all that a learner may do:
///
///     gauss-newton   100 passes for each start, number of heads and number of examples that it goes through
///     lbfgs          a pass for each iteration that it may do
///     adam, ..       all steps of all starts
///     sculpt, paper  the plan for all examples that it may look at
double pass_seconds(attention::Index d, attention::Index k, attention::Index m, double examples);

/// The operations of a pass over one example: m (4 k d^2 + 4 k^2 d).
double pass_operations(attention::Index d, attention::Index k, attention::Index m);

/// Memory of a process that learns, besides its arrays: the program and its libraries, of which 22 MiB are
/// resident after a run on a layer of d = 4, and buffers of matrix products and freed blocks that the
/// allocator keeps.
inline constexpr double process_bytes = 40.0 * 1024 * 1024;

}  // namespace hardhead::learner
