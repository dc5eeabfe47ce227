#include "statistics/tail_exponent.h"

#include <fmt/format.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "base/error.h"

namespace hardhead::statistics {
namespace {

constexpr std::size_t fewest_points = 4;
constexpr double outside = 0.025;

}  // namespace

Estimate tail_exponent(std::span<const double> smallest) {
  if (smallest.size() < fewest_points)
    throw InputError(
        fmt::format("{} points: an exponent is fitted to {} or more", smallest.size(), fewest_points));
  const double last = smallest.back();
  double sum = 0, before = 0;
  for (const double score : smallest) {
    if (!(score > 0 && score >= before && std::isfinite(score)))
      throw InputError(
          fmt::format("score {} after {}: positive, ascending scores are expected", score, before));
    sum += std::log(last / score);
    before = score;
  }
  if (!(sum > 0)) throw InputError(fmt::format("all scores are {}: they have no exponent", last));
  // b * sum is Gamma(n - 1): given the n-th, the others are independent, ln(s_n / s_j) exponential of rate b.
  const auto shape = static_cast<double>(smallest.size() - 1);
  return {(shape - 1) / sum,
          {boost::math::gamma_p_inv(shape, outside) / sum, boost::math::gamma_q_inv(shape, outside) / sum}};
}

}  // namespace hardhead::statistics
