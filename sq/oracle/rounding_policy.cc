#include "sq/oracle/registered_policies.h"

namespace hardhead::sq {

Policy detail::rounding_policy() {
  return {"rounding", "the multiple of the contract's radius nearest to E phi",
          [](const Rational& truth, const Rational& radius, const Stream&, std::uint64_t) {
            if (radius == 0) return truth;
            return Rational(radius * Rational(floor_of(truth / radius + Rational(1, 2))));
          }};
}

}  // namespace hardhead::sq
