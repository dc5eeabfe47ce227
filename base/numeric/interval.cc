#include "base/numeric/interval.h"

#include <mpfr.h>

#include <initializer_list>
#include <limits>

namespace hardhead {
namespace {

using Operation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

LongReal rounded(Operation operation, const LongReal& a, const LongReal& b, mpfr_rnd_t direction) {
  LongReal out;
  operation(out.backend().data(), a.backend().data(), b.backend().data(), direction);
  return out;
}

LongReal down(Operation operation, const LongReal& a, const LongReal& b) {
  return rounded(operation, a, b, MPFR_RNDD);
}
LongReal up(Operation operation, const LongReal& a, const LongReal& b) {
  return rounded(operation, a, b, MPFR_RNDU);
}

/// The interval that the four results at pairs of ends span, which is that of a monotone operation.
Interval spanned(Operation operation, const Interval& a, const Interval& b) {
  Interval out(down(operation, a.low(), b.low()), up(operation, a.low(), b.low()));
  for (const auto& [x, y] : {std::pair{&a.low(), &b.high()}, {&a.high(), &b.low()}, {&a.high(), &b.high()}}) {
    const LongReal low = down(operation, *x, *y), high = up(operation, *x, *y);
    if (isnan(low)) return {low, low};
    out = {low < out.low() ? low : out.low(), high > out.high() ? high : out.high()};
  }
  return out;
}

}  // namespace

Interval Interval::around(const Rational& x) {
  Interval out;
  mpfr_set_q(out.low_.backend().data(), x.backend().data(), MPFR_RNDD);
  mpfr_set_q(out.high_.backend().data(), x.backend().data(), MPFR_RNDU);
  return out;
}

LongReal Interval::middle() const {
  const LongReal middle = (low_ + high_) / 2;
  return middle < low_ || middle > high_ ? low_ : middle;
}

LongReal Interval::size() const {
  const LongReal below = abs(low_), above = abs(high_);
  return below > above ? below : above;
}

bool Interval::contains(const Rational& x) const {
  return mpfr_cmp_q(low_.backend().data(), x.backend().data()) <= 0 &&
         mpfr_cmp_q(high_.backend().data(), x.backend().data()) >= 0;
}

Interval Interval::root(unsigned n) const {
  Interval out;
  mpfr_rootn_ui(out.low_.backend().data(), low_.backend().data(), n, MPFR_RNDD);
  mpfr_rootn_ui(out.high_.backend().data(), high_.backend().data(), n, MPFR_RNDU);
  return out;
}

Interval operator+(const Interval& a, const Interval& b) {
  return {down(mpfr_add, a.low_, b.low_), up(mpfr_add, a.high_, b.high_)};
}

Interval operator-(const Interval& a, const Interval& b) {
  return {down(mpfr_sub, a.low_, b.high_), up(mpfr_sub, a.high_, b.low_)};
}

Interval operator*(const Interval& a, const Interval& b) {
  return spanned(mpfr_mul, a, b);
}

Interval operator/(const Interval& a, const Interval& b) {
  if (b.low_ > 0 || b.high_ < 0) return spanned(mpfr_div, a, b);
  const LongReal none = std::numeric_limits<LongReal>::quiet_NaN();
  return {none, none};
}

}  // namespace hardhead
