#include "base/numeric/simd.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>

#include <algorithm>
#include <atomic>

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

// The newest, until another is chosen.
std::atomic<SimdTarget>& chosen() {
  static std::atomic<SimdTarget> target = simd_targets().back();
  return target;
}

}  // namespace

std::vector<SimdTarget> simd_targets() {
  // Asked for once: Highway detects the CPU anew each time, and forgets what was chosen.
  static const std::vector<SimdTarget> found = [] {
    std::vector<SimdTarget> out{SimdTarget::baseline};
#if HWY_ARCH_X86
    const std::int64_t supported = hwy::SupportedTargets();
    for (const SimdTarget target : {SimdTarget::avx2, SimdTarget::avx512})
      if ((supported & highway_target(target)) != 0) out.push_back(target);
#endif
    return out;
  }();
  return found;
}

SimdTarget simd_target() {
  return chosen();
}

void choose_simd_target(SimdTarget target) {
  const std::vector<SimdTarget> here = simd_targets();
  if (std::ranges::find(here, target) == here.end()) {
    std::vector<std::string> names;
    for (const SimdTarget one : here) names.push_back(name_of(one));
    throw InputError(
        fmt::format("this CPU does not have {}; it has {}", name_of(target), fmt::join(names, ", ")));
  }
  chosen() = target;
  hwy::GetChosenTarget().Update(highway_target(target));
}

void choose_simd_target_named(std::string_view name) {
  if (!name.empty()) choose_simd_target(value_named<SimdTarget>("HARDHEAD_SIMD", name));
}

}  // namespace hardhead
