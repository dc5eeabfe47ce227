#include "sq/query/query.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::sq {

void check_bits(const char* what, std::int64_t bits) {
  if (bits < 1 || bits > max_bits)
    throw InputError(
        fmt::format("{}: n={} bits is not in 1 .. {}: 2^n points are enumerated", what, bits, max_bits));
}

GridQuery::GridQuery(const Query& query, int n)
    : query_(query), low_(query.range == Range::signed_unit ? -1 : 0) {
  if (!query.value) throw InputError(fmt::format("query '{}' has no value to call", query.name));
  if ((query.sees & ~all_bits(n)) != 0)
    throw InputError(
        fmt::format("query '{}' sees bits {:#x}; the domain has {} bits", query.name, query.sees, n));
}

void GridQuery::refuse(Bits z, int label, double value) const {
  throw InputError(fmt::format("query '{}' returned {} at bits {:#x}, label {}: its range is {}", query_.name,
                               value, z, label, name_of(query_.range)));
}

const Rational& rounding_charge() {
  static const Rational charge = dyadic(1, grid_bits + 1);
  return charge;
}

Rational dyadic(std::int64_t numerator, int exponent) {
  return Rational(Integer(numerator), Integer(1) << exponent);
}

}  // namespace hardhead::sq
