#pragma once
#include <optional>
#include <vector>

#include "attention/forward/block.h"
#include "base/run/stop_token.h"

namespace hardhead::learner {

/// A layer of one head fewer that may label the examples as `layer` does, after a fit from there: without one
/// of its heads, or without the one of the smallest Theta if others are turned for it (head_signs.h), with
/// the W_i by least squares. None where no such layer has a relative error of `most_error` or less, or where
/// `layer` has one head. Costs a few passes over the examples for each head. Throws Stopped.
std::optional<attention::Layer> without_a_spare_head(const std::vector<attention::Block>& training,
                                                     const attention::Layer& layer, double most_error,
                                                     const StopToken& stop = {});

}  // namespace hardhead::learner
