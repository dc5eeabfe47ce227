#pragma once

namespace hardhead {

/// Integers of 128 bits, which g++ and clang have and the standard does not.
__extension__ using Int128 = __int128;
/// Unsigned integers of 128 bits.
__extension__ using UnsignedInt128 = unsigned __int128;

}  // namespace hardhead
