#include "lwe/problem/discrete_gaussian.h"

#include <fmt/format.h>

#include <boost/multiprecision/mpfr.hpp>
#include <cmath>

#include "base/error.h"

namespace hardhead::lwe {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<60>,
                                           boost::multiprecision::et_off>;

/// Second and fourth moments of the law of parameter s; sums stop where terms no longer count.
template <class Number>
std::pair<Number, Number> moments(const Number& s, double negligible) {
  using std::exp;
  Number mass = 1, second = 0, fourth = 0;
  for (int x = 1;; ++x) {
    const Number square = Number(x) * x, term = 2 * exp(-square / (2 * s * s));
    mass += term, second += term * square, fourth += term * square * square;
    if (term * square * square < negligible) return {second / mass, fourth / mass};
  }
}

/// s of a law of standard deviation sigma. The variance is s^2 up to a multiple of s^4 exp(-2 pi^2 s^2):
/// nothing in 60 digits from s = 3 on. Below, bisection in double (the variance grows with s) and Newton's
/// method, which doubles the digits: d variance / d s = (E x^4 - (E x^2)^2) / s^3.
Real parameter(double sigma) {
  if (sigma >= 3) return sigma;
  double low = 0.2, high = 3.1;
  for (int bit = 0; bit < 60; ++bit) {
    const double middle = (low + high) / 2;
    (moments(middle, 1e-20).first < sigma * sigma ? low : high) = middle;
  }
  Real s = high;
  for (int step = 0; step < 3; ++step) {
    const auto [second, fourth] = moments(s, 1e-65);
    s -= (second - Real(sigma) * sigma) * s * s * s / (fourth - second * second);
  }
  return s;
}

}  // namespace

std::int64_t tail_cut(double sigma) {
  if (sigma == 0) return 0;
  thread_local double last_sigma = 0;  // asked for again and again, and dear
  thread_local std::int64_t last_cut = 0;
  if (sigma != last_sigma) {
    const Real s = parameter(sigma);
    const Real cut = ceil(s * sqrt(2 * 65 * log(Real(2))));
    last_cut = cut.convert_to<std::int64_t>();
    last_sigma = sigma;
  }
  return last_cut;
}

DiscreteGaussian::DiscreteGaussian(double sigma) {
  if (!(sigma >= min_sigma && sigma <= max_sigma))
    throw InputError(
        fmt::format("discrete Gaussian: sigma={} is not in {} .. {}", sigma, min_sigma, max_sigma));
  const Real s = parameter(sigma);
  cut_ = tail_cut(sigma);
  std::vector<Real> weight;
  Real mass = 0;
  for (std::int64_t x = 0; x <= cut_; ++x) {
    weight.push_back(exp(-Real(x) * x / (2 * s * s)));
    mass += (x == 0 ? 1 : 2) * weight.back();
  }
  table_.resize(static_cast<std::size_t>(2 * cut_ + 1));
  std::uint64_t others = 0;
  for (std::int64_t x = 1; x <= cut_; ++x) {
    const auto units =
        ldexp(Real(weight[static_cast<std::size_t>(x)] / mass), 64).convert_to<std::uint64_t>();
    table_[static_cast<std::size_t>(cut_ + x)] = table_[static_cast<std::size_t>(cut_ - x)] = units;
    others += 2 * units;
  }
  table_[static_cast<std::size_t>(cut_)] = 0 - others;  // 2^64 - others
  make_buckets();
}

void DiscreteGaussian::make_buckets() {
  const std::size_t count = std::bit_ceil(table_.size());
  const int bits = std::countr_zero(count);
  shift_ = 64 - bits;
  const std::uint64_t capacity = std::uint64_t{1} << shift_;
  mask_ = capacity - 1;
  buckets_.assign(count, {0, 0, 0});

  std::vector<std::uint64_t> left(count, 0);
  for (std::size_t i = 0; i < table_.size(); ++i) left[i] = table_[i];
  const auto value_of = [&](std::size_t i) {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(i) - cut_);
  };
  std::vector<std::size_t> small, large;
  for (std::size_t i = 0; i < count; ++i) (left[i] < capacity ? small : large).push_back(i);
  // The masses left sum to the capacity of the buckets left, so a small one implies a large one.
  while (!small.empty()) {
    const std::size_t poor = small.back(), rich = large.back();
    small.pop_back();
    buckets_[poor] = {left[poor], value_of(poor), value_of(rich)};
    left[rich] -= capacity - left[poor];
    if (left[rich] < capacity) large.pop_back(), small.push_back(rich);
  }
  for (const std::size_t full : large) buckets_[full] = {capacity, value_of(full), value_of(full)};
}

}  // namespace hardhead::lwe
