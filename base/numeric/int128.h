#pragma once

namespace hardhead {

/// Integers of 128 bits, which g++ and clang have and the standard does not.
__extension__ using Int128 = __int128;
/// The same without a sign.
__extension__ using UnsignedInt128 = unsigned __int128;

}  // namespace hardhead
