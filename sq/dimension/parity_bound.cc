#include "sq/dimension/parity_bound.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::sq {
namespace {

constexpr long max_features = 1L << 20;

void check_tolerance(const Rational& tau) {
  if (tau <= 0) throw InputError(fmt::format("tau={} is not positive", to_string(tau)));
  if (tau > Rational(1, 2))
    throw InputError(
        fmt::format("tau={} is more than 1/2: the adversary never has to give in, and no number of queries "
                    "wins",
                    to_string(tau)));
}

void check_unit(const char* name, const Rational& value) {
  if (value <= 0 || value > 1)
    throw InputError(fmt::format("{}={} is not in (0, 1]", name, to_string(value)));
}

/// alpha N - 1/delta, or 0.
Rational must_be_ruled_out(const ParityGoal& goal) {
  const Rational count = goal.alpha * Rational(goal.members()) - 1 / goal.delta;
  return count > 0 ? count : Rational(0);
}

}  // namespace

Integer ParityGoal::members() const {
  return binomial(static_cast<unsigned long>(d - 1), static_cast<unsigned long>(m));
}

void ParityGoal::validate() const {
  if (d < 2 || d > max_features) throw InputError(fmt::format("d={} is not in 2 .. {}", d, max_features));
  if (m < 1 || m > d - 1) throw InputError(fmt::format("m={} is not in 1 .. d-1={}", m, d - 1));
  check_unit("alpha", alpha);
  check_unit("delta", delta);
}

Rational parity_query_bound(const ParityGoal& goal, const Rational& tau) {
  goal.validate();
  check_tolerance(tau);
  return 4 * tau * tau * must_be_ruled_out(goal);
}

Rational parity_query_bound_vstat(const ParityGoal& goal, const Rational& t) {
  goal.validate();
  if (t < 1) throw InputError(fmt::format("VSTAT: t={} is less than 1", to_string(t)));
  return 2 / (3 * t) * must_be_ruled_out(goal);
}

}  // namespace hardhead::sq
