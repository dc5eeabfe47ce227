#include "study/scaling.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "base/error.h"

namespace hardhead::study {
namespace {

constexpr std::size_t fewest_points = 4;
constexpr double tail = 0.025;

void check_count(std::size_t points) {
  if (points < fewest_points)
    throw InputError(fmt::format("{} points: an exponent is fitted to {} or more", points, fewest_points));
}

}  // namespace

Estimate tail_exponent(std::span<const double> smallest) {
  check_count(smallest.size());
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
          {boost::math::gamma_p_inv(shape, tail) / sum, boost::math::gamma_q_inv(shape, tail) / sum}};
}

LogFit fit_log(std::span<const double> x, std::span<const double> y) {
  check_count(std::min(x.size(), y.size()));
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(y[i] > 0))
      throw InputError(fmt::format("y = {}: its logarithm is fitted, so y > 0 is expected", y[i]));
    mean_x += x[i] / n, mean_y += std::log(y[i]) / n;
  }
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = x[i] - mean_x, v = std::log(y[i]) - mean_y;
    xx += u * u, xy += u * v, yy += v * v;
  }
  if (!(xx > 0)) throw InputError("all x are equal: no rate can be fitted");
  LogFit fit;
  fit.rate.value = xy / xx;
  fit.intercept = mean_y - fit.rate.value * mean_x;
  fit.residual = std::sqrt(std::max(0.0, yy - fit.rate.value * xy) / (n - 2));
  const double t = boost::math::quantile(boost::math::complement(boost::math::students_t(n - 2), tail));
  const double half = t * fit.residual / std::sqrt(xx);
  fit.rate.interval = {fit.rate.value - half, fit.rate.value + half};
  return fit;
}

}  // namespace hardhead::study
