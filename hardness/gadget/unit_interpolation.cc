#include "hardness/gadget/unit_interpolation.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::hardness {

Rational UnitInterpolation::at(const Rational& z) const {
  Rational out = start;
  for (std::size_t i = 0; i < knots.size(); ++i)
    if (z > knots[i]) out += weights[i] * (z - knots[i]);
  return out;
}

UnitInterpolation interpolating_units(std::span<const Rational> z, std::span<const Rational> values) {
  if (z.size() < 2 || values.size() != z.size())
    throw InputError(
        fmt::format("units through {} points with {} values: two points at least, and a value for "
                    "each, are expected",
                    z.size(), values.size()));
  UnitInterpolation out{values[0], {}, {}};
  Rational slope = 0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) {
    if (z[i + 1] <= z[i])
      throw InputError(fmt::format("units through points: point {} is not above point {}", i + 1, i));
    const Rational next = (values[i + 1] - values[i]) / (z[i + 1] - z[i]);
    out.knots.push_back(z[i]);
    out.weights.push_back(next - slope);
    slope = next;
  }
  return out;
}

}  // namespace hardhead::hardness
