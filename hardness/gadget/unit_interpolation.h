#pragma once
#include <span>
#include <vector>

#include "base/numeric/rational.h"

namespace hardhead::hardness {

/// A network of one input through given points: start + sum_i weights[i] relu(z - knots[i]), in rationals.
struct UnitInterpolation {
  Rational start;                 ///< the value left of all knots
  std::vector<Rational> knots;    ///< ascending
  std::vector<Rational> weights;  ///< of each unit

  Rational at(const Rational& z) const;  ///< its value
};

/// Through n points (z, value) of ascending z by n - 1 units, linear between them: knots at all points but
/// the last, weights the changes of slope. Throws InputError unless there are two points of different,
/// ascending z at least, and a value for each.
UnitInterpolation interpolating_units(std::span<const Rational> z, std::span<const Rational> values);

}  // namespace hardhead::hardness
