#pragma once
#include "lwe/problem/parameters.h"
#include "lwe/problem/samples.h"

namespace hardhead::lwe {

/// What an attacker sees: the parameters and the samples, and never the secret or the seed.
struct Challenge {
  ProblemParameters parameters;  ///< public
  Samples samples;               ///< all that there are
};

}  // namespace hardhead::lwe
