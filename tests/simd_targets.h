#pragma once
#include "base/numeric/simd.h"

namespace hardhead {

/// Calls body(target) with kernels on each target of this CPU in turn.
template <class Body>
void on_each_simd_target(const Body& body) {
  const SimdTarget before = simd_target();
  for (const SimdTarget target : simd_targets()) {
    choose_simd_target(target);
    body(target);
  }
  choose_simd_target(before);
}

}  // namespace hardhead
