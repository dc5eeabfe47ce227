#include "hardness/gadget/rounded_interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "hardness/gadget/certified_rounding.h"
#include "hardness/gadget/interpolation.h"

namespace hardhead::hardness {
namespace {

struct Interpolated {
  std::span<const std::int64_t> g;
  std::int64_t base;
};

/// The sums of the header.
template <unsigned decimal_digits>
class RoundedFit {
  using Real = RealOf<decimal_digits>;
  static constexpr int bits = std::numeric_limits<Real>::digits;

 public:
  explicit RoundedFit(const Interpolated& input) : h_(std::ssize(input.g) - 1) {
    const auto& [g, base] = input;
    const Real inverse = 1 / Real(base);
    powers_.emplace_back(1);
    for (long k = 1; k <= 2 * h_ + 3; ++k) powers_.push_back(powers_.back() * inverse);
    s_.emplace_back(1);
    d_.emplace_back(1);
    for (long k = 1; k <= h_ + 1; ++k) {
      s_.push_back(s_.back() * (1 + power(2 * k - 1)));
      d_.push_back(d_.back() * (1 - power(2 * k)));
    }
    for (long h = 0; h <= h_; ++h) {
      const std::int64_t value = g[static_cast<std::size_t>(h)];
      values_.push_back(at(s_, h + 1) * at(s_, h_ + 1 - h) / (at(d_, h) * at(d_, h_ - h)) *
                        (h % 2 == 0 ? value : -value));
      largest_ = std::max(largest_, abs(Real(value)));
    }
    for (long dist = 0; dist <= h_ + 1; ++dist) falling_.push_back(power(dist) / (1 + power(2 * dist + 1)));
    symmetric_ = std::equal(g.begin(), g.end(), g.rbegin());
  }

  /// Weight i.
  std::optional<double> item(long i) const {
    if (largest_ == 0 || (symmetric_ && 2 * i == h_ + 1)) return 0;
    Real sum = 0, absolute = 0, left_out = 0;
    // Outwards from i, both sides at once: |2h - 2i + 1| = 2 dist + 1 on either.
    for (long dist = 0; dist <= h_ + 1; ++dist) {
      for (const long h : {i + dist, i - 1 - dist}) {
        if (h < 0 || h > h_ || at(values_, h) == 0) continue;
        const Real term = at(values_, h) * at(falling_, dist);
        sum += term;
        absolute += abs(term);
      }
      if (dist == h_ + 1) break;
      // The factors of a term are below 6 (B = 2: S < 2.4, D > 0.68, S S / (D D) in all below 13; 4 * 13 =
      // 52). The second bound ends a sum whose terms cancel: rounding has cost more than what is left out.
      left_out = 52 * largest_ * power(dist + 1);
      if (left_out < ldexp(abs(sum), 30 - bits / 2) || left_out < ldexp(absolute, -bits)) break;
      left_out = 0;
    }
    const Real scale = at(s_, i) * at(s_, h_ + 1 - i) / (at(d_, i) * at(d_, h_ + 1 - i));
    const Real value = (i % 2 == 0 ? Real(-scale) : scale) * sum;
    const Real error = scale * (left_out + ldexp(absolute * (8 * h_ + 64), 2 - bits)) * 2;
    return rounded(value, error);
  }

 private:
  static const Real& at(const std::vector<Real>& table, long k) { return table[static_cast<std::size_t>(k)]; }
  const Real& power(long k) const { return at(powers_, k); }  // B^-k

  long h_;
  bool symmetric_ = false;
  Real largest_ = 0;                  // |g(h)|
  std::vector<Real> powers_, s_, d_;  // of the header
  std::vector<Real> values_;          // of h: (-1)^h g(h) S(h+1) S(H+1-h) / (D(h) D(H-h))
  std::vector<Real> falling_;         // of dist: B^-dist / (1 + B^-(2 dist + 1))
};

}  // namespace

std::vector<double> rounded_interpolation(std::span<const std::int64_t> g, std::int64_t base) {
  if (g.empty() || g.size() > (std::size_t{1} << 20) + 1)
    throw InputError(fmt::format("rounded interpolation: {} values; 1 .. 2^20 + 1 are expected", g.size()));
  if (base < 2) throw InputError(fmt::format("rounded interpolation: base={} is less than 2", base));
  return certified_roundings<RoundedFit>(std::ssize(g) + 1, Interpolated{g, base}, [&](long i) {
    return round_to_nearest(exact_interpolation_weight(std::vector<Rational>(g.begin(), g.end()), base, i));
  });
}

}  // namespace hardhead::hardness
