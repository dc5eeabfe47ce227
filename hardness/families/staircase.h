#pragma once
#include "hardness/families/rounding_layer.h"

namespace hardhead::hardness {

/// The table of family `staircase`.
OptionTable<RoundingOptions> staircase_table();

}  // namespace hardhead::hardness
