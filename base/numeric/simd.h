#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "base/text/enum_names.h"

namespace hardhead {

/// The instruction sets that kernels are compiled for, ascending. A kernel is one source, compiled for each
/// of them by Highway; which one runs is chosen when the program starts. Results have the same bits for any
/// number of threads and ranks on one target. Across targets kernels in double precision have the same bits,
/// as have products of matrices and, in single precision, those of conjugate gradients; kernels for
/// screening, which only decide what need not be computed in double, agree within their stated errors.
enum class SimdTarget {
  baseline,  ///< any CPU of the architecture
  avx2,      ///< AVX2 and FMA
  avx512,    ///< AVX-512 F, BW, CD, DQ, VL
};

/// The values that HARDHEAD_SIMD takes.
constexpr auto enum_names(SimdTarget) {
  return std::to_array<EnumName<SimdTarget>>(
      {{SimdTarget::baseline, "baseline"}, {SimdTarget::avx2, "avx2"}, {SimdTarget::avx512, "avx512"}});
}

/// Those that this CPU has, ascending; `baseline` is always among them.
std::vector<SimdTarget> simd_targets();

/// The one that kernels run on: the last of simd_targets(), unless another was chosen.
SimdTarget simd_target();

/// Lets kernels run on this one from now on. No kernel may be running. Throws InputError, naming those that
/// there are, if this CPU lacks it.
void choose_simd_target(SimdTarget target);
/// choose_simd_target() by name, as the variable HARDHEAD_SIMD has it, with which the program, the Python
/// module and the tests begin; nothing if it is empty. Throws InputError for another name, too.
void choose_simd_target_named(std::string_view name);

}  // namespace hardhead
