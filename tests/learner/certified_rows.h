#pragma once
#include <string>

#include "learner/certificate/harvest.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner::testing {

/// The best rows of 3,000 examples of a nice layer, certified by its true W_sum.
inline Harvest certified(const std::string& spec, std::int64_t keep) {
  const NiceSource nice(spec);
  return harvest({nice.source, 0, 3000}, nice.layer().w_sum(), {.keep = keep}, RunContext{}, "hull");
}

}  // namespace hardhead::learner::testing
