#include "hardness/concepts/queries_behind_heads.h"

#include <algorithm>

#include "hardness/families/parity.h"

namespace hardhead::hardness {

using attention::Index;

Index densest_known_bits(Index heads) {
  constexpr Index of_nearly_equal_slopes[] = {6, 9, 11};
  if (heads >= 3 && heads <= 5) return of_nearly_equal_slopes[heads - 3];
  return bits_behind_heads(ParityVariant::compact, heads);
}

std::vector<QueriesBehindHeads> queries_behind_heads(sq::ParityGoal goal, Index heads, const Rational& tau) {
  std::vector<QueriesBehindHeads> out;
  const auto add = [&](const std::string& way, Index bits) {
    bits = std::min<Index>(bits, goal.d - 1);
    if (bits < 1) return;
    goal.m =
        std::min<Index>(bits, std::max<Index>(1, (goal.d - 1) / 2));  // C(d-1, m) is largest in the middle
    out.push_back({way, heads, bits, sq::parity_query_bound(goal, tau)});
  };
  for (const ParityVariant variant : {ParityVariant::exact, ParityVariant::minimal, ParityVariant::compact})
    add(std::string(name_of(variant)), bits_behind_heads(variant, heads));
  if (densest_known_bits(heads) > bits_behind_heads(ParityVariant::compact, heads))
    add("densest known", densest_known_bits(heads));
  return out;
}

}  // namespace hardhead::hardness
