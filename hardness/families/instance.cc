#include "hardness/families/instance.h"

#include <algorithm>

#include "attention/forward/block.h"

namespace hardhead::hardness {

using attention::Inputs;

attention::PassShape InstanceShape::pass() const {
  return {d, k, m, inputs == Inputs::boolean};
}

double InstanceShape::bytes() const {
  const double layer = attention::layer_bytes(d, m);
  // While it is made there are as many as three layers, the two ends of a path and a point between them; and
  // a matrix or two.
  const double made = forward ? layer + attention::forward_bytes(pass()) : layer;
  return std::max(made, 3 * layer) + 4 * attention::layer_bytes(d, 1) + exact_bytes;
}

double InstanceShape::label_bytes() const {
  const double noise_and_levels = attention::example_bytes(d, k, attention::block_size);
  return noise_and_levels + (forward ? attention::workspace_bytes(pass()).apply : 0);
}

}  // namespace hardhead::hardness
