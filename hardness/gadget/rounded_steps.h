#pragma once
#include <cstdint>
#include <vector>

#include "hardness/gadget/interpolation.h"

namespace hardhead::hardness {

/// a - 2 evaluate(steps, base, h) for h = 0 .. h_max, each the nearest double (certified_rounding.h). Only
/// the steps within bits / (2 log2 B) of h are summed: beyond that sigma is 0 or 1 up to 2^-bits, and sums of
/// weights stand for all of them.
std::vector<double> rounded_steps(const StepWeights& steps, std::int64_t base, long h_max, const Rational& a);

}  // namespace hardhead::hardness
