#include "sq/dimension/member_pairs.h"

namespace hardhead::sq {

MemberPairs parity_pairs(long d, long m) {
  const Rational same(Integer(1), binomial(static_cast<unsigned long>(d - 1), static_cast<unsigned long>(m)));
  MemberPairs out{{{Rational(1, 2), same, 1}}, same / 2};
  if (same != 1) out.shares.push_back({0, 1 - same, Rational(1, 2)});
  return out;
}

}  // namespace hardhead::sq
