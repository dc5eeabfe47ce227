#pragma once
#include "lwe/attack.h"

/// One maker for each attack: defined in the attack's own file, listed in attack.cc.
namespace hardhead::lwe::detail {

Attack elimination_attack();
Attack exhaustive_attack();
Attack mitm_attack();
Attack bkw_attack();
Attack kannan_attack();
Attack kannan_fplll_attack();
Attack arora_ge_attack();
Attack low_bits_attack();

}  // namespace hardhead::lwe::detail
