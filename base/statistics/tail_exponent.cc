#include "base/statistics/tail_exponent.h"

#include <fmt/format.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "base/error.h"

namespace hardhead::statistics {
namespace {

constexpr std::size_t fewest_points = 4;
constexpr double outside = 0.025;

/// b times `sum` is Gamma(shape) distributed: given the largest, the other scores of a sample are
/// independent, ln(s_n / s_j) exponential of rate b.
struct LogSum {
  double sum = 0, shape = 0;
};

LogSum log_sum(std::span<const double> smallest) {
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
  return {sum, static_cast<double>(smallest.size() - 1)};
}

Estimate estimate_of(const LogSum& of) {
  return {(of.shape - 1) / of.sum,
          {boost::math::gamma_p_inv(of.shape, outside) / of.sum,
           boost::math::gamma_q_inv(of.shape, outside) / of.sum}};
}

}  // namespace

Estimate tail_exponent(std::span<const std::vector<double>> smallest) {
  if (smallest.empty()) throw InputError("no sample: an exponent is fitted to one or more");
  LogSum all;
  for (const std::vector<double>& sample : smallest) {
    const LogSum one = log_sum(sample);
    all.sum += one.sum;
    all.shape += one.shape;
  }
  return estimate_of(all);
}

}  // namespace hardhead::statistics
