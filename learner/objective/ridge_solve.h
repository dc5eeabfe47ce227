#pragma once
#include "attention/layer/layer.h"
#include "base/run/stop_token.h"

namespace hardhead::learner {

/// Solution of the normal equations gram X = right, for a symmetric positive semidefinite Gram matrix, with a
/// ridge of 1e-13 times its mean diagonal: a relative change of that order where it is well conditioned, and
/// finite where it is singular (equal heads, fewer rows than unknowns). Zero for a zero matrix.
/// Throws Stopped.
attention::Matrix ridge_solve(attention::Matrix gram, const attention::Matrix& right,
                              const StopToken& stop = {});

}  // namespace hardhead::learner
