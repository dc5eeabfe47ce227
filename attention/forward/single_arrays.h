#pragma once
#include "attention/forward/single_block.h"

namespace hardhead::attention {

/// Writes the tokens and the labels of a block as arrays [count, k, d] in C order.
void write_as_arrays(const SingleBlock& block, float* tokens, float* labels);

}  // namespace hardhead::attention
