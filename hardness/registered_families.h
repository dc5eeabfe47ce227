#pragma once
#include "hardness/family.h"

/// One maker for each family: defined in the family's own file, listed in family.cc.
namespace hardhead::hardness::detail {

Family nice_family();
Family parity_family();

}  // namespace hardhead::hardness::detail
