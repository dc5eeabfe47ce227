#pragma once
#include "hardness/families/family.h"

/// The families, in the order they are listed. A line is a family: x(NAME) stands for NAME_family(), which
/// the family's own file defines.
// clang-format off
#define HARDHEAD_FAMILIES(x) \
  x(nice)                    \
  x(diagonal)                \
  x(block_diagonal)          \
  x(low_rank)                \
  x(orthogonal)              \
  x(permutation)             \
  x(transformer)             \
  x(degraded)                \
  x(path)                    \
  x(lwr_path)                \
  x(block)                   \
  x(block_parity)            \
  x(parity)                  \
  x(junta)                   \
  x(smoothed)                \
  x(lwr)                     \
  x(staircase)               \
  x(lwe)                     \
  x(lpn)                     \
  x(program)
// clang-format on

namespace hardhead::hardness::detail {

#define HARDHEAD_FAMILY(name) Family name##_family();
HARDHEAD_FAMILIES(HARDHEAD_FAMILY)
#undef HARDHEAD_FAMILY

}  // namespace hardhead::hardness::detail
