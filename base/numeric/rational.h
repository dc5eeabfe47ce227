#pragma once
#include <boost/multiprecision/gmp.hpp>
#include <string>
#include <string_view>

namespace hardhead {

/// An integer of any size (GMP).
using Integer = boost::multiprecision::mpz_int;
/// p/q in lowest terms (GMP), q > 0.
using Rational = boost::multiprecision::mpq_rational;

/// The double nearest to `x`, ties to even (MPFR): one correct rounding. (GMP's own conversion truncates.)
/// Zero is +0.0. Throws InputError if |x| is beyond the largest double.
double round_to_nearest(const Rational& x);

/// "p/q" in lowest terms, or "p" for an integer.
std::string to_string(const Rational& x);

/// The inverse of to_string. Throws InputError naming the text.
Rational parse_rational(std::string_view text);

/// The largest integer that is at most x.
Integer floor_of(const Rational& x);
/// The least integer that is at least x.
Integer ceil_of(const Rational& x);

/// base^exponent for any integer exponent; base is not 0.
Rational power(const Rational& base, long exponent);

/// n choose r, exactly.
Integer binomial(unsigned long n, unsigned long r);

}  // namespace hardhead
