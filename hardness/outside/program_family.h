#pragma once
#include "hardness/families/family.h"

namespace hardhead::hardness {

/// Whether the program that a spec names makes its instance (family `exec`). Such a spec is never taken from
/// a file, which others may have written.
bool runs_a_program(const Spec& spec);

}  // namespace hardhead::hardness
