#include "sq/dimension/correlations.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "sq/concepts/hoeffding.h"

namespace hardhead::sq {
namespace {

/// A multiple of 2^-40 that is at least x, for 0 <= x < 2^20 with an error of a few ulp.
Rational above(double x) {
  return dyadic(static_cast<std::int64_t>(std::ceil(std::ldexp(x * (1 + 1e-14), 40))) + 1, 40);
}

}  // namespace

FromVstat::FromVstat(VstatOracle& oracle) : oracle_(oracle) {
  const auto t = oracle.t().convert_to<double>();
  width_ = above(std::max(2 / t, 1 / std::sqrt(t)));
}

Rational FromVstat::ask(const Correlation& g) {
  return 2 * oracle_.ask({"(1 + label times " + g.name + ")/2", Range::unit, g.sees,
                          [&g](Bits z, int label) { return (1 + label * g.value(z)) / 2; }}) -
         1;
}

FromOneStat::FromOneStat(OneStatOracle& oracle, std::int64_t examples, double confidence)
    : oracle_(oracle), examples_(examples) {
  if (examples < 1)
    throw InputError(fmt::format("1-STAT correlations: examples={} is less than 1", examples));
  if (!(confidence > 0 && confidence < 1))
    throw InputError(fmt::format("1-STAT correlations: confidence={} is not between 0 and 1", confidence));
  // Two frequencies, each within half the width with half the risk.
  width_ = above(2 * hoeffding_half_width(1, static_cast<double>(examples), (1 - confidence) / 2));
}

Rational FromOneStat::ask(const Correlation& g) {
  const auto count = [&](int sign) {
    const Query query{fmt::format("label times {} is {}", g.name, sign), Range::bit, g.sees,
                      [&g, sign](Bits z, int label) { return label * g.value(z) == sign ? 1.0 : 0.0; }};
    std::int64_t ones = 0;
    for (std::int64_t i = 0; i < examples_; ++i) ones += oracle_.ask(query) ? 1 : 0;
    return ones;
  };
  const std::int64_t plus = count(1), minus = count(-1);
  return Rational(plus - minus, examples_);
}

}  // namespace hardhead::sq
