#pragma once
#include <vector>

#include "attention/forward/forward.h"

namespace hardhead::learner::testing {

/// F(X) - Y of a layer over all rows of some examples.
inline attention::Vector residuals(const std::vector<attention::Block>& blocks,
                                   const attention::Layer& layer) {
  std::vector<double> all;
  const attention::Forward forward(layer);
  attention::Forward::Workspace ws;
  for (attention::Block block : blocks) {
    const attention::RowMatrix y = block.y;
    forward.apply(block, ws);
    const attention::RowMatrix difference = block.y - y;
    all.insert(all.end(), difference.data(), difference.data() + difference.size());
  }
  return Eigen::Map<attention::Vector>(all.data(), static_cast<attention::Index>(all.size()));
}

}  // namespace hardhead::learner::testing
