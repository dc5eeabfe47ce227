#include "base/statistics/tail_exponent.h"

#include <fmt/format.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "base/error.h"

namespace hardhead::statistics {
namespace {

constexpr std::size_t fewest_points = 4;
constexpr double outside = 0.025;

/// sum_{j<n} ln(s_n / s_j). Given the largest, the other scores are independent, and each logarithm is
/// exponential of rate b.
double log_sum(std::span<const double> smallest) {
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
  return sum;
}

}  // namespace

Estimate tail_exponent(std::span<const std::vector<double>> smallest) {
  if (smallest.empty()) throw InputError("no sample: an exponent is fitted to one or more");
  double sum = 0, shape = 0;
  for (const std::vector<double>& sample : smallest) {
    sum += log_sum(sample);
    shape += static_cast<double>(sample.size() - 1);
  }
  return {(shape - 1) / sum,
          {boost::math::gamma_p_inv(shape, outside) / sum, boost::math::gamma_q_inv(shape, outside) / sum}};
}

}  // namespace hardhead::statistics
