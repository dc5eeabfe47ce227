#pragma once
#include <optional>
#include <vector>

#include "attention/forward/block.h"
#include "base/run/stop_token.h"

namespace hardhead::learner {

/// A layer of one head fewer that labels the examples as exactly (fitting.h) as `layer` of two heads or more
/// does: without one of its heads, or without the one of the smallest Theta if others are turned for it
/// (head_signs.h), with the W_i by least squares. None where there is no such layer.
/// Costs a few passes over the examples for each head. Throws Stopped.
std::optional<attention::Layer> without_a_spare_head(const std::vector<attention::Block>& training,
                                                     const attention::Layer& layer,
                                                     const StopToken& stop = {});

}  // namespace hardhead::learner
