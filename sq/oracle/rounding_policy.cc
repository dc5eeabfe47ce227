#include "sq/oracle/registered_policies.h"

namespace hardhead::sq {
namespace {

/// The integer nearest to x, halves up.
Integer nearest_integer(const Rational& x) {
  const Rational shifted = x + Rational(1, 2);
  Integer quotient = numerator(shifted) / denominator(shifted);
  if (shifted < 0 && Rational(quotient) != shifted) --quotient;
  return quotient;
}

}  // namespace

Policy detail::rounding_policy() {
  return {"rounding", "the multiple of the contract's radius nearest to E phi",
          [](const Rational& truth, const Rational& radius, const Stream&, std::uint64_t) {
            return radius == 0 ? truth : Rational(radius * Rational(nearest_integer(truth / radius)));
          }};
}

}  // namespace hardhead::sq
