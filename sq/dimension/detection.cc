#include "sq/dimension/detection.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::sq {

Rational detection_bound(const MemberPairs& pairs, const Rational& tau) {
  if (tau <= 0 || tau > Rational(1, 2))
    throw InputError(fmt::format("tau={} is not above 0 and at most 1/2", to_string(tau)));
  if (pairs.largest_row == 0) throw InputError("detection: no two members correlate");
  return 2 * tau * tau / pairs.largest_row;
}

}  // namespace hardhead::sq
