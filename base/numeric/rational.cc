#include "base/numeric/rational.h"

#include <fmt/format.h>
#include <mpfr.h>

#include <cmath>

#include "base/error.h"

namespace hardhead {

double round_to_nearest(const Rational& x) {
  if (x == 0) return 0.0;
  // mpfr_get_d would round a 53-bit value a second time only where doubles are subnormal; emulating the
  // subnormal range makes the first rounding the only one.
  const mpfr_exp_t old_emin = mpfr_get_emin(), old_emax = mpfr_get_emax();
  mpfr_set_emin(-1073);
  mpfr_set_emax(1024);
  mpfr_t r;
  mpfr_init2(r, 53);
  const int direction = mpfr_set_q(r, x.backend().data(), MPFR_RNDN);
  mpfr_subnormalize(r, direction, MPFR_RNDN);
  const double value = mpfr_get_d(r, MPFR_RNDN);
  mpfr_clear(r);
  mpfr_set_emin(old_emin);
  mpfr_set_emax(old_emax);
  if (!std::isfinite(value))
    throw InputError(fmt::format("a rational of {} digits has no double near it", to_string(x).size()));
  return value;
}

std::string to_string(const Rational& x) {
  return x.str();
}

Rational parse_rational(std::string_view text) {
  mpq_t q;
  mpq_init(q);
  const std::string copy(text);
  // GMP itself would pass over blanks and end at a zero byte.
  const bool read = !copy.empty() && copy.find_first_not_of("0123456789-/") == std::string::npos &&
                    mpq_set_str(q, copy.c_str(), 10) == 0 && mpz_sgn(mpq_denref(q)) != 0;
  if (read) mpq_canonicalize(q);
  Rational value;
  if (read) value = Rational(q);
  mpq_clear(q);
  if (!read) throw InputError(fmt::format("'{}' is not a rational of the form p/q", text));
  return value;
}

Integer floor_of(const Rational& x) {
  Integer out;
  mpz_fdiv_q(out.backend().data(), mpq_numref(x.backend().data()), mpq_denref(x.backend().data()));
  return out;
}

Integer ceil_of(const Rational& x) {
  Integer out;
  mpz_cdiv_q(out.backend().data(), mpq_numref(x.backend().data()), mpq_denref(x.backend().data()));
  return out;
}

Rational power(const Rational& base, long exponent) {
  const unsigned long n =
      exponent < 0 ? 0UL - static_cast<unsigned long>(exponent) : static_cast<unsigned long>(exponent);
  const auto raise = [n](const Integer& z) {
    Integer out;
    mpz_pow_ui(out.backend().data(), z.backend().data(), n);
    return out;
  };
  const Integer p = raise(numerator(base)), q = raise(denominator(base));
  return exponent < 0 ? Rational(q, p) : Rational(p, q);
}

Integer binomial(unsigned long n, unsigned long r) {
  Integer out;
  mpz_bin_uiui(out.backend().data(), n, r);
  return out;
}

}  // namespace hardhead
