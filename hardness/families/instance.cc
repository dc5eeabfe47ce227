#include "hardness/families/instance.h"

#include "attention/forward/block.h"

namespace hardhead::hardness {

using attention::Inputs;

attention::PassShape InstanceShape::pass() const {
  return {d, k, m, inputs == Inputs::boolean};
}

double InstanceShape::bytes() const {
  const double layer = attention::layer_bytes(d, m), some_matrices = 4 * attention::layer_bytes(d, 1);
  return layer + (forward ? attention::forward_bytes(pass()) : 0) + some_matrices + exact_bytes;
}

double InstanceShape::label_bytes() const {
  const double noise_and_levels = attention::example_bytes(d, k, attention::block_size);
  return noise_and_levels + (forward ? attention::workspace_bytes(pass()).apply : 0);
}

}  // namespace hardhead::hardness
