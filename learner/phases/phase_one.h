#pragma once
#include "learner/method.h"

namespace hardhead::learner {

/// The learner `phase1`: phase 1 of the six alone (w_sum.h). Its layer is one head with Theta = 0 and W =
/// W_sum, F(X) = (1/k) J X W_sum with J all ones: what uniform attention explains. A tenth of the examples is
/// held back to judge it.
///
/// `finished` where that is everything (held-back examples predicted exactly), which it is when all Theta_i
/// are 0; else it fails in phase `w_sum` and says how much of the mean rows and of the held-back labels it
/// explains.
extern const Method phase_one_method;

}  // namespace hardhead::learner
