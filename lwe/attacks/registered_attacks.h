#pragma once
#include "lwe/attacks/attack.h"

/// The attacks, in the order they are listed. A line is an attack: x(NAME) stands for NAME_attack(), which
/// the attack's own file defines.
// clang-format off
#define HARDHEAD_ATTACKS(x) \
  x(elimination)            \
  x(exhaustive)             \
  x(mitm)                   \
  x(bkw)                    \
  x(bkw_mod2)               \
  x(kannan)                 \
  x(kannan_fplll)           \
  x(arora_ge)               \
  x(low_bits)               \
  x(fourier)                \
  x(prange)                 \
  x(stern)
// clang-format on

namespace hardhead::lwe::detail {

#define HARDHEAD_ATTACK(name) Attack name##_attack();
HARDHEAD_ATTACKS(HARDHEAD_ATTACK)
#undef HARDHEAD_ATTACK

}  // namespace hardhead::lwe::detail
