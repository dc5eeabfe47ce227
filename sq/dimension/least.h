#pragma once
#include <optional>

#include "base/numeric/rational.h"

namespace hardhead::sq {

/// The least N >= 1 of which `enough` holds, for a property that stays once it holds. Empty if not even
/// 2^most_log2 has it.
template <class Enough>
std::optional<Integer> least_where(const Enough& enough, int most_log2) {
  Integer below = 0, found = 1;
  for (int log2 = 0; !enough(found); ++log2) {
    if (log2 == most_log2) return std::nullopt;
    below = found;
    found *= 2;
  }
  while (found - below > 1) {
    const Integer middle = (below + found) / 2;
    (enough(middle) ? found : below) = middle;
  }
  return found;
}

}  // namespace hardhead::sq
