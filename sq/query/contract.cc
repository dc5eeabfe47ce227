#include "sq/query/contract.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::sq {
namespace {

// The largest multiple of 2^-60 whose square is at most x >= 0.
Rational root_below(const Rational& x) {
  const Integer scaled = (numerator(x) << 120) / denominator(x);
  return Rational(Integer(sqrt(scaled)), Integer(1) << 60);
}

Rational less_charge(const Contract& contract, const Rational& radius, const Mean& mean) {
  if (radius < mean.charge)
    throw InputError(
        fmt::format("{}: its tolerance is less than {}, which rounding a query to the grid may cost",
                    contract.text(), to_string(mean.charge)));
  return radius - mean.charge;
}

}  // namespace

Stat::Stat(Rational tau) : tau_(std::move(tau)) {
  if (tau_ <= 0 || tau_ > 1) throw InputError(fmt::format("STAT: tau={} is not in (0, 1]", to_string(tau_)));
}

std::string Stat::text() const {
  return fmt::format("STAT({})", to_string(tau_));
}

bool Stat::allows(const Mean& mean, const Rational& v) const {
  return abs(v - mean.value) + mean.charge <= tau_;
}

Rational Stat::radius(const Mean& mean) const {
  return less_charge(*this, tau_, mean);
}

Vstat::Vstat(Rational t) : t_(std::move(t)) {
  if (t_ < 1) throw InputError(fmt::format("VSTAT: t={} is less than 1", to_string(t_)));
}

std::string Vstat::text() const {
  return fmt::format("VSTAT({})", to_string(t_));
}

// p (1 - p) changes by at most the change of p in [0, 1].
Rational Vstat::least_variance(const Mean& mean) {
  const Rational least = mean.value * (1 - mean.value) - mean.charge;
  return least > 0 ? least : Rational(0);
}

bool Vstat::allows(const Mean& mean, const Rational& v) const {
  const Rational off = abs(v - mean.value) + mean.charge;
  return off * t_ <= 1 || off * off * t_ <= least_variance(mean);
}

Rational Vstat::radius(const Mean& mean) const {
  const Rational root = root_below(least_variance(mean) / t_), floor = 1 / t_;
  return less_charge(*this, root > floor ? root : floor, mean);
}

}  // namespace hardhead::sq
