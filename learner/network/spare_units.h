#pragma once
#include <vector>

#include "attention/forward/block.h"
#include "attention/layer/layer.h"
#include "base/run/stop_token.h"

namespace hardhead::learner {

/// A layer with fewer units behind its heads, which is nearly the same on these examples. With G the Gram
/// matrix of relu(A u + a) and of 1 over all rows, leaving unit j out costs
///
///     ||B_j||^2 / (G^-1)_jj
///
/// of squared error if all others take over what they can of it, B_l += B_j G^-1_lj / G^-1_jj. The cheapest
/// goes, as long as all that go cost at most `allowed` sum ||Y||^2 together; one stays. Throws Stopped.
attention::Layer without_spare_units(const attention::Layer& layer,
                                     const std::vector<attention::Block>& blocks, double allowed,
                                     const StopToken& stop);

}  // namespace hardhead::learner
