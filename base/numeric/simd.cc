#include "base/numeric/simd.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>

#include "base/error.h"

namespace hardhead {
namespace {

// Highway's name of a target; the newer, the smaller the number.
std::int64_t highway_target(SimdTarget target) {
  switch (target) {
#if HWY_ARCH_X86
    case SimdTarget::avx512:
      return HWY_AVX3;
    case SimdTarget::avx2:
      return HWY_AVX2;
#endif
    default:
      return HWY_SCALAR;
  }
}

}  // namespace

std::vector<SimdTarget> simd_targets() {
  // What the CPU has does not change, and is asked for while nothing is disabled.
  static const std::vector<SimdTarget> found = [] {
    std::vector<SimdTarget> out{SimdTarget::baseline};
#if HWY_ARCH_X86
    for (const SimdTarget target : {SimdTarget::avx2, SimdTarget::avx512})
      if (hwy::SupportedTargets() & highway_target(target)) out.push_back(target);
#endif
    return out;
  }();
  return found;
}

SimdTarget simd_target() {
  SimdTarget best = SimdTarget::baseline;
  for (const SimdTarget target : simd_targets())
    if (target == SimdTarget::baseline || (hwy::SupportedTargets() & highway_target(target)) != 0)
      best = target;
  return best;
}

void choose_simd_target(SimdTarget target) {
  const std::vector<SimdTarget> here = simd_targets();
  if (std::ranges::find(here, target) == here.end()) {
    std::vector<std::string> names;
    for (const SimdTarget one : here) names.push_back(name_of(one));
    throw InputError(
        fmt::format("this CPU does not have {}; it has {}", name_of(target), fmt::join(names, ", ")));
  }
  hwy::DisableTargets(highway_target(target) - 1);  // all newer ones
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace hardhead
