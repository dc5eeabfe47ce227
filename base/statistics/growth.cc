#include "base/statistics/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/numeric/random.h"
#include "base/statistics/median.h"

namespace hardhead::statistics {
namespace {

constexpr std::size_t fewest_x = 3;
constexpr double tail = 0.025, preferred_share = 0.95;
constexpr double rounding = 1e-12;  // of logarithms: residuals below it are none

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Least squares of v on fixed u.
class Line {
 public:
  explicit Line(std::vector<double> u) : u_(std::move(u)) {
    const double middle = mean(u_);
    double squares = 0;
    for (double& x : u_) x -= middle, squares += x * x;
    middle_ = middle, squares_ = squares;
  }

  GrowthLaw fit(std::span<const double> v) const {
    GrowthLaw law;
    for (std::size_t i = 0; i < u_.size(); ++i) law.rate.value += u_[i] * v[i] / squares_;
    law.intercept = mean(v) - law.rate.value * middle_;
    for (const double r : residuals(law, v)) law.residual += r * r / static_cast<double>(v.size());
    law.residual = std::sqrt(law.residual);
    if (law.residual < rounding) law.residual = 0;
    return law;
  }

  std::vector<double> residuals(const GrowthLaw& law, std::span<const double> v) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < u_.size(); ++i)
      out.push_back(v[i] - law.intercept - law.rate.value * (u_[i] + middle_));
    return out;
  }

 private:
  std::vector<double> u_;  // centred
  double middle_ = 0, squares_ = 0;
};

/// ln y by x, ascending.
using Logarithms = std::map<double, std::vector<double>>;

Logarithms logarithms(const std::vector<GrowthPoint>& points) {
  Logarithms out;
  for (const GrowthPoint& point : points) {
    if (!(point.x > 0 && std::isfinite(point.x)))
      throw InputError(fmt::format("growth: x = {}: a positive number is expected", point.x));
    if (point.y.empty()) throw InputError(fmt::format("growth: no y at x = {}", point.x));
    for (const double y : point.y) {
      if (!(y > 0 && std::isfinite(y)))
        throw InputError(fmt::format("growth: y = {} at x = {}: a positive number is expected", y, point.x));
      out[point.x].push_back(std::log(y));
    }
  }
  if (out.size() < fewest_x)
    throw InputError(
        fmt::format("growth: {} different x, but a law is fitted to {} or more", out.size(), fewest_x));
  return out;
}

struct Noise {
  std::vector<double> deviations;
  double known = 0;  // degrees of freedom of their scale
};

Noise stretched(std::vector<double> deviations, std::size_t fitted) {
  const auto all = static_cast<double>(deviations.size()), known = all - static_cast<double>(fitted);
  for (double& deviation : deviations) deviation *= std::sqrt(all / known);
  return {std::move(deviations), known};
}

Noise noise_of_seeds(const Logarithms& data) {
  std::vector<double> deviations;
  for (const auto& [x, values] : data)
    for (const double value : values) deviations.push_back(value - mean(values));
  return stretched(std::move(deviations), data.size());
}

/// ln(median y) at each x with noise drawn by the uniform numbers after the first, and stretched by `spread`.
std::vector<double> resampled(const Logarithms& data, const Noise& noise, double spread,
                              std::span<const double> uniform) {
  std::vector<double> out;
  std::size_t next = 1;
  for (const auto& [at, values] : data) {
    std::vector<double> drawn;
    for (std::size_t j = 0; j < values.size(); ++j)
      drawn.push_back(noise.deviations[static_cast<std::size_t>(
          uniform[next++] * static_cast<double>(noise.deviations.size()))]);
    out.push_back(median(values) + spread * median(std::move(drawn)));
  }
  return out;
}

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

Interval interval_of(std::vector<double> rates) {
  std::sort(rates.begin(), rates.end());
  return {percentile(rates, tail), percentile(rates, 1 - tail)};
}

}  // namespace

std::string Growth::str(const std::string& x) const {
  // Three digits, and none of a rounding error where y does not grow at all.
  const auto rate = [](double value) { return fmt::format("{:.3g}", std::abs(value) < 1e-9 ? 0.0 : value); };
  const std::string laws =
      fmt::format("{}^{} ({} .. {}) or e^({} {}) ({} .. {})", x, rate(power.rate.value),
                  rate(power.rate.interval.low), rate(power.rate.interval.high), rate(exponential.rate.value),
                  x, rate(exponential.rate.interval.low), rate(exponential.rate.interval.high));
  switch (prefers) {
    case Prefers::power:
      return laws + fmt::format("; the data prefer the power law ({:.2f})", power_share);
    case Prefers::exponential:
      return laws + fmt::format("; the data prefer the exponential ({:.2f})", 1 - power_share);
    default:
      return laws + fmt::format("; the data prefer neither (power law: {:.2f})", power_share);
  }
}

Growth fit_growth(const std::vector<GrowthPoint>& points, std::uint64_t seed, int resamples) {
  if (resamples < 1)
    throw InputError(fmt::format("growth: {} resamples, but at least 1 is needed", resamples));
  const Logarithms data = logarithms(points);
  std::vector<double> x, ln_x, middle;
  std::size_t count = 0;
  for (const auto& [at, values] : data) {
    x.push_back(at), ln_x.push_back(std::log(at)), middle.push_back(median(values));
    count += values.size();
  }
  const Line power(ln_x), exponential(x);
  Growth growth;
  growth.power = power.fit(middle);
  growth.exponential = exponential.fit(middle);
  const bool seeds_tell = count > data.size();
  const auto noise_around = [&](const Line& line, const GrowthLaw& law) {
    return seeds_tell ? noise_of_seeds(data) : stretched(line.residuals(law, middle), 2);
  };
  const Noise around_power = noise_around(power, growth.power),
              around_exponential = noise_around(exponential, growth.exponential);
  const Noise& around_better =
      growth.power.residual < growth.exponential.residual ? around_power : around_exponential;

  const Stream stream(Domain::test, seed, "growth");
  const boost::math::chi_squared scale(around_better.known);
  std::vector<double> uniform(count + 1), powers, exponentials;
  double power_fits_better = 0;
  for (int i = 0; i < resamples; ++i) {
    stream.uniforms(static_cast<std::uint64_t>(i), uniform);
    const double spread =
        std::sqrt(around_better.known / boost::math::quantile(scale, std::max(uniform[0], 0x1p-54)));
    const auto drawn = [&](const Noise& noise) { return resampled(data, noise, spread, uniform); };
    const std::vector<double> same = drawn(around_better);
    const GrowthLaw by_power = power.fit(same), by_exponential = exponential.fit(same);
    const auto rate = [&](const Line& line, const GrowthLaw& of_same, const Noise& noise) {
      return (seeds_tell ? of_same : line.fit(drawn(noise))).rate.value;
    };
    powers.push_back(rate(power, by_power, around_power));
    exponentials.push_back(rate(exponential, by_exponential, around_exponential));
    power_fits_better += by_power.residual < by_exponential.residual    ? 1
                         : by_power.residual == by_exponential.residual ? 0.5
                                                                        : 0;
  }
  growth.power.rate.interval = interval_of(std::move(powers));
  growth.exponential.rate.interval = interval_of(std::move(exponentials));
  growth.power_share = power_fits_better / resamples;
  if (growth.power_share >= preferred_share) growth.prefers = Growth::Prefers::power;
  if (growth.power_share <= 1 - preferred_share) growth.prefers = Growth::Prefers::exponential;
  return growth;
}

}  // namespace hardhead::statistics
