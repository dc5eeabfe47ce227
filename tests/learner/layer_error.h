#pragma once
#include <string>

#include "hardness/families/family.h"
#include "learner/method.h"

namespace hardhead::learner {

/// The instance that a spec names.
inline hardness::Instance instance_of(const std::string& spec) {
  return hardness::make_instance(Spec::parse(spec));
}

/// Relative squared error of a layer on 500 fresh Boolean X of k tokens.
inline double layer_error(const attention::Layer& layer, const attention::Layer& truth, Index k = 2) {
  attention::Block block(truth.d, k, 500);
  attention::draw_tokens(attention::Inputs::boolean, Stream(Domain::test, 5, "layer error"), 0, block);
  attention::Block said = block;
  attention::LayerTeacher(truth).label(block);
  attention::LayerTeacher(layer).label(said);
  return (said.y - block.y).squaredNorm() / block.y.squaredNorm();
}

}  // namespace hardhead::learner
