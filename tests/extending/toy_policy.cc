// How an oracle answers: the multiple of the contract's radius next to E phi on the side of 0. One file in
// sq/, and the line x(toy) in sq/oracle/registered_policies.h.
#include "sq/oracle/registered_policies.h"

namespace hardhead::sq {

Policy detail::toy_policy() {
  return {"toy", "the multiple of the contract's radius next to E phi on the side of 0",
          [](const Rational& truth, const Rational& radius, const Stream&, std::uint64_t) {
            if (radius == 0) return truth;
            const Rational steps = truth / radius;
            return Rational(radius * Rational(Integer(numerator(steps) / denominator(steps))));
          }};
}

}  // namespace hardhead::sq
