#pragma once
#include <span>

#include "learner/mobius/feature.h"

namespace hardhead::learner::mobius {

/// Gauss-Newton on V_j at the points of each feature, from what was found, all features side by side.
///
/// Variable projection in Kaufman's form: c and the constant are eliminated by projecting on the complement P
/// of the span of the attention weights and 1. The Jacobian with respect to theta_i is then P D_i Z (x) c_i,
/// D_i = diag(-2 q_i (1 - q_i)), and a step u solves
///
///     Z^T (D o (P (D o Z u) c c^T)) = Z^T (D o (residual c^T)),    o entry by entry, D = [D_1 1, D_2 1, ..]
///
/// by conjugate gradients (logit_systems.h), preconditioned head by head. P takes out s_a, a = 0 .. m, of the
/// attention weights and 1: u_i with D_i Z u_i near s_a hardly change V, such as multiples of theta_i while
/// logits are small. These m (m + 1) directions are solved for apart. Throws Stopped.
void polish(std::span<Feature> features, const CommonSigns& signs, const StopToken& stop = {});

}  // namespace hardhead::learner::mobius
