#include "sq/dimension/member_pairs.h"

#include <fmt/format.h>

#include "base/error.h"

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

Rational detection_bound(const MemberPairs& pairs, const Rational& tau) {
  if (tau <= 0 || tau > Rational(1, 2))
    throw InputError(fmt::format("tau={} is not above 0 and at most 1/2", to_string(tau)));
  if (pairs.largest_row == 0) throw InputError("detection: no two members correlate");
  return 2 * tau * tau / pairs.largest_row;
}

}  // namespace hardhead::sq
