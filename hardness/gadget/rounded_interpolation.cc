#include "hardness/gadget/rounded_interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/mpfr.hpp>

#include "base/error.h"
#include "base/run/parallel.h"

namespace hardhead::hardness {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<96>,
                                           boost::multiprecision::et_off>;

class RoundedFit {
 public:
  RoundedFit(std::span<const std::int64_t> g, std::int64_t base)
      : g_(g), h_(static_cast<long>(g.size()) - 1), base_(base) {
    const Real inverse = 1 / Real(base_);
    powers_.emplace_back(1);
    for (long k = 1; k <= 2 * h_ + 3; ++k) powers_.push_back(powers_.back() * inverse);
    s_.emplace_back(1);
    d_.emplace_back(1);
    for (long k = 1; k <= h_ + 1; ++k) {
      s_.push_back(s_.back() * (1 + power(2 * k - 1)));
      d_.push_back(d_.back() * (1 - power(2 * k)));
    }
    symmetric_ = std::equal(g_.begin(), g_.end(), g_.rbegin());
    for (const std::int64_t value : g_) largest_ = std::max(largest_, value < 0 ? -value : value);
  }

  double weight(long i) const {
    if (largest_ == 0 || (symmetric_ && 2 * i == h_ + 1)) return 0;
    Real sum = 0, absolute = 0;
    Real left_out = 0;
    // Outwards from i, both sides at once: dist = 0, 1, ..
    for (long dist = 0; dist <= h_ + 1; ++dist) {
      for (const long h : {i + dist, i - 1 - dist}) {
        if (h < 0 || h > h_ || g_[static_cast<std::size_t>(h)] == 0) continue;
        const Real term = magnitude(i, h, dist) * g_[static_cast<std::size_t>(h)];
        sum += h % 2 == 0 ? term : Real(-term);
        absolute += abs(term);
      }
      // The factors of a term are below 6 (B = 2: S < 2.4, D > 0.68, S S / (D D) in all below 13; 4 * 13 =
      // 52).
      left_out = 52 * largest_ * power(dist + 1);
      if (dist < h_ + 1 && left_out < ldexp(abs(sum), -130)) break;
      if (dist == h_ + 1) left_out = 0;
    }
    const Real scale = at(s_, i) * at(s_, h_ + 1 - i) / (at(d_, i) * at(d_, h_ + 1 - i));
    const Real value = (i % 2 == 0 ? Real(-scale) : scale) * sum;
    const Real error = scale * (left_out + ldexp(absolute * (8 * h_ + 64), -318)) * 2;
    const auto low = Real(value - error).convert_to<double>(),
               high = Real(value + error).convert_to<double>();
    if (low != high)
      throw Error(fmt::format(
          "rounded interpolation: weight {} of {} is too near to the middle of two doubles", i, h_ + 2));
    return low;
  }

 private:
  static const Real& at(const std::vector<Real>& table, long k) { return table[static_cast<std::size_t>(k)]; }
  const Real& power(long k) const { return at(powers_, k); }  // B^-k

  Real magnitude(long i, long h, long dist) const {
    return at(s_, h + 1) * at(s_, h_ + 1 - h) / (at(d_, h) * at(d_, h_ - h)) * power(dist) /
           (1 + power(std::abs(2 * h - 2 * i + 1)));
  }

  std::span<const std::int64_t> g_;
  long h_;
  std::int64_t base_, largest_ = 0;
  bool symmetric_ = false;
  std::vector<Real> powers_, s_, d_;
};

}  // namespace

std::vector<double> rounded_interpolation(std::span<const std::int64_t> g, std::int64_t base) {
  if (g.empty() || g.size() > (std::size_t{1} << 20) + 1)
    throw InputError(fmt::format("rounded interpolation: {} values; 1 .. 2^20 + 1 are expected", g.size()));
  if (base < 2) throw InputError(fmt::format("rounded interpolation: base={} is less than 2", base));
  const RoundedFit fit(g, base);
  std::vector<double> weights(g.size() + 1);
  parallel_for_each_index(static_cast<std::int64_t>(weights.size()), [&](std::int64_t i) {
    weights[static_cast<std::size_t>(i)] = fit.weight(static_cast<long>(i));
  });
  return weights;
}

}  // namespace hardhead::hardness
