#pragma once
#include "learner/learner.h"

namespace hardhead::learner {

/// The learner `sculpt`: the six phases by the spectral route, then the Gauss-Newton polish (see learner.h).
extern const Method sculpt_method;

}  // namespace hardhead::learner
