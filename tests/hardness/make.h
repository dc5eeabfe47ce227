#pragma once
#include <string>
#include <vector>

#include "attention/forward/block.h"
#include "hardness/families/family.h"

namespace hardhead::hardness {

/// The instance of a spec, "parity:d=16,m=3".
inline Instance make(const std::string& spec) {
  return make_instance(Spec::parse(spec));
}

/// The signs of example n, token by token.
inline std::vector<int> tokens(const attention::Block& block, attention::Index n) {
  std::vector<int> x;
  for (attention::Index r = 0; r < block.k; ++r)
    for (attention::Index f = 0; f < block.d(); ++f) x.push_back(block.x(f, block.column(r, n)) > 0 ? 1 : -1);
  return x;
}

}  // namespace hardhead::hardness
