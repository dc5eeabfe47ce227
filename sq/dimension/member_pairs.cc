#include "sq/dimension/member_pairs.h"

namespace hardhead::sq {

MemberPairs parity_pairs(long d, long m) {
  return noisy_parity_pairs(binomial(static_cast<unsigned long>(d - 1), static_cast<unsigned long>(m)), 0);
}

MemberPairs noisy_parity_pairs(const Integer& parities, const Rational& noise) {
  const Rational same(Integer(1), parities), seen = 1 - 2 * noise, correlation = seen * seen / 2;
  MemberPairs out{{{correlation, same, 1}}, correlation * same};
  if (same != 1) out.shares.push_back({0, 1 - same, Rational(1, 2)});
  return out;
}

}  // namespace hardhead::sq
