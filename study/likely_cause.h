#pragma once
#include <string>

#include "base/run_control.h"
#include "study/problem.h"

namespace hardhead::study {

/// The condition of the niceness certificate (hardness/niceness.h) that a learner's failure is put down to:
/// the one that the layer misses by the largest factor, in its constant, over what a nice layer of as many heads
/// of the same size misses it by (or over 1, where the nice layer holds it). Label noise comes first.
///
///     shortfall = constant at which it flips (inverse where at least the threshold is asked for)
///     factor    = shortfall / max(1, shortfall of a nice layer of norms 2 and 1)
///
/// "theta_norm (16)" with the factor (not where it is above 1e6); empty if none is above 1.8, or where the layer is not known. A guess: that a
/// condition fails does not show that it is what defeats the learner. Throws Stopped.
std::string likely_cause(const Problem& problem, const RunControl& control = {});

}  // namespace hardhead::study
