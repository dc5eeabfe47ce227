#include "hardness/gadget/interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/run/parallel.h"
#include "hardness/gadget/certified_rounding.h"

namespace hardhead::hardness {
namespace {

// With x = B^(2h) and y_i = B^(2 t_i), sigma(h - t_i) = y_i / (x + y_i). A sum of steps is a rational
// function of x with poles -y_i, and both fits are
//
//     f(x) = x^e R(x) / Q(x),   Q(x) = prod_j (x + y_j),   deg R = H,   f(x_h) = g(h) at x_h = B^(2h):
//
// exact (H + 2 poles, e = 1): f vanishes at x = 0, where it is sum_i w_i, and at infinity;
// minimal (H poles, e = 0): f(infinity) = -offset is free. The residue at -y_i is w_i y_i, so Lagrange gives
//
//     w_i = -(-y_i)^(e-1) R(-y_i) / Q'(-y_i),
//     R(-y_i) = (-1)^H prod_l (y_i + x_l) sum_h g(h) C_h / (y_i + x_h),   C_h = Q(x_h) x_h^-e / N'(x_h),
//     f(infinity) = sum_h g(h) C_h   (e = 0),                              N(x) = prod_l (x - x_l).
//
// Nodes and poles are geometric: the ratio of consecutive terms is a product of six binomials B^n +- 1, and
// binary splitting sums the terms without a gcd.
class GeometricFit {
 public:
  GeometricFit(std::span<const Rational> g, std::int64_t base, int twice_first_step, long steps)
      : h_(static_cast<long>(g.size()) - 1), n_(steps), e_(steps > h_ ? 1 : 0), first_(twice_first_step) {
    for (const Rational& value : g) scale_ = lcm(scale_, denominator(value));
    for (const Rational& value : g) values_.emplace_back(numerator(value) * (scale_ / denominator(value)));
    powers_.emplace_back(1);
    for (long a = 1; a <= 2 * (h_ + 2); ++a) powers_.emplace_back(powers_.back() * base);
    first_term_ = first_term();
  }

  int twice_step(long i) const { return first_ + static_cast<int>(2 * i); }

  Rational weight(long i) const {
    const long y = twice_step(i);
    Factored w = first_term_;
    for (long l = 1; l <= h_; ++l) times_sum(w.p, w.exponent, y, 2 * l);
    long below = 0;
    for (long j = 0; j < n_; ++j)
      if (j != i) times_difference(w.q, below, y, twice_step(j));
    w.exponent += (e_ - 1) * y - below;
    return finish(w, (e_ + i) % 2 != 0 ? -1 : 1, y);
  }

  Rational at_infinity() const { return finish(first_term_, h_ % 2 != 0 ? -1 : 1, std::nullopt); }

 private:
  // Of positive factors, multiplied in pairs of about the same length, which GMP does fast.
  class Product {
   public:
    void operator*=(Integer factor) {
      while (!parts_.empty() && msb(parts_.back()) <= msb(factor)) {
        factor *= parts_.back();
        parts_.pop_back();
      }
      parts_.push_back(std::move(factor));
    }
    Integer value() const {
      Integer out = 1;
      for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) out *= *part;
      return out;
    }

   private:
    std::vector<Integer> parts_;  // each longer than the next
  };
  struct Factored {  // p / q * B^exponent
    Product p, q;
    long exponent = 0;
  };
  struct Terms {  // of a range of h: product of ratios p / q, sum of terms s / q
    Integer p, q, s;
  };

  // B^a + B^b and |B^a - B^b| as B^min(a,b) times a binomial.
  void times_sum(Product& product, long& exponent, long a, long b) const {
    product *= binomial_sum(a, b);
    exponent += std::min(a, b);
  }
  void times_difference(Product& product, long& exponent, long a, long b) const {
    product *= power_of_base(std::abs(a - b)) - 1;
    exponent += std::min(a, b);
  }
  Integer binomial_sum(long a, long b) const { return power_of_base(std::abs(a - b)) + 1; }
  const Integer& power_of_base(long a) const { return powers_[static_cast<std::size_t>(a)]; }

  Factored first_term() const {  // |C_0|; its sign (-1)^H cancels that of R(-y_i)
    Factored c;
    for (long j = 0; j < n_; ++j) times_sum(c.p, c.exponent, 0, twice_step(j));
    long below = 0;
    for (long l = 1; l <= h_; ++l) times_difference(c.q, below, 0, 2 * l);
    c.exponent -= below;
    return c;
  }

  // Terms h .. end - 1, and the ratio that leads from each to the next:
  // -B^(1 + shift) (B^(2h+2-2t_first) + 1) (B^(2H-2h) - 1) / ((B^(2t_last-2h) + 1) (B^(2h+2) - 1)) * (y +
  // x_h) / (y + x_(h+1)), the last factor only where there is a pole y.
  Terms sum(long h, long end, std::optional<long> y) const {
    if (end - h > 1) {
      const long middle = h + (end - h) / 2;
      const Terms left = sum(h, middle, y), right = sum(middle, end, y);
      return {left.p * right.p, left.q * right.q, left.s * right.q + left.p * right.s};
    }
    Terms t{1, 1, 0};
    if (h < h_) {
      t.p = -binomial_sum(2 * h + 2, first_) * (power_of_base(2 * (h_ - h)) - 1);
      t.q = binomial_sum(twice_step(n_ - 1), 2 * h) * (power_of_base(2 * h + 2) - 1);
      long exponent = 1;
      if (y) {
        t.p *= binomial_sum(*y, 2 * h);
        t.q *= binomial_sum(*y, 2 * h + 2);
        exponent += std::min(*y, 2 * h) - std::min(*y, 2 * h + 2);
      }
      (exponent > 0 ? t.p : t.q) *= power_of_base(std::abs(exponent));
    }
    t.s = values_[static_cast<std::size_t>(h)] * t.q;
    return t;
  }

  Rational finish(const Factored& factor, int sign, std::optional<long> y) const {
    const Terms terms = sum(0, h_ + 1, y);
    Integer p = sign * factor.p.value() * terms.s, q = factor.q.value() * terms.q * scale_;
    Integer shift;
    mpz_pow_ui(shift.backend().data(), powers_[1].backend().data(),
               static_cast<unsigned long>(std::abs(factor.exponent)));
    (factor.exponent > 0 ? p : q) *= shift;
    return Rational(p, q);
  }

  long h_, n_, e_;
  int first_;
  Integer scale_ = 1;  // of values_: their common denominator
  std::vector<Integer> values_, powers_;
  Factored first_term_;
};

void check(std::span<const Rational> g, std::int64_t base) {
  if (g.empty())
    throw InputError("step weights: the function has no values; g(0) .. g(H) needs at least one");
  if (base < 2) throw InputError(fmt::format("step weights: base={} is less than 2", base));
}

StepWeights weights_of(const GeometricFit& fit, long steps) {
  StepWeights out;
  for (long i = 0; i < steps; ++i) out.twice_steps.push_back(fit.twice_step(i));
  out.weights.resize(out.twice_steps.size());
  parallel_for_each_index(steps,
                          [&](std::int64_t i) { out.weights[static_cast<std::size_t>(i)] = fit.weight(i); });
  return out;
}

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

StepWeights exact_interpolation(std::span<const Rational> g, std::int64_t base) {
  check(g, base);
  const long steps = static_cast<long>(g.size()) + 1;
  StepWeights out = weights_of(GeometricFit(g, base, -1, steps), steps);
  out.offset = 0;
  out.values.assign(g.begin(), g.end());
  return out;
}

Rational exact_interpolation_weight(std::span<const Rational> g, std::int64_t base, long i) {
  check(g, base);
  constexpr double most_bits = 1 << 28;
  const auto steps = static_cast<double>(g.size() + 1);
  if (const double bits = 2 * steps * steps * std::log2(base); bits > most_bits)
    throw InputError(
        fmt::format("interpolation: weight {} of {} as a rational has {:.3g} bits, more than {:.3g}", i,
                    g.size() + 1, bits, most_bits));
  return GeometricFit(g, base, -1, std::ssize(g) + 1).weight(i);
}

std::vector<double> rounded_interpolation(std::span<const std::int64_t> g, std::int64_t base) {
  if (g.empty() || g.size() > (std::size_t{1} << 20) + 1)
    throw InputError(fmt::format("rounded interpolation: {} values; 1 .. 2^20 + 1 are expected", g.size()));
  if (base < 2) throw InputError(fmt::format("rounded interpolation: base={} is less than 2", base));
  return certified_roundings<RoundedFit>(std::ssize(g) + 1, Interpolated{g, base}, [&](long i) {
    return round_to_nearest(exact_interpolation_weight(std::vector<Rational>(g.begin(), g.end()), base, i));
  });
}

StepWeights minimal_steps(std::span<const Rational> g, std::int64_t base) {
  check(g, base);
  const long steps = static_cast<long>(g.size()) - 1;
  const GeometricFit fit(g, base, 1, steps);
  StepWeights out = weights_of(fit, steps);
  out.offset = -fit.at_infinity();
  for (const Rational& value : g) out.values.emplace_back(value + out.offset);
  return out;
}

Rational evaluate(const StepWeights& steps, std::int64_t base, long h) {
  Rational sum = 0;
  for (std::size_t i = 0; i < steps.weights.size(); ++i)
    sum += steps.weights[i] / (1 + power(Rational(base), 2 * h - steps.twice_steps[i]));
  return sum;
}

}  // namespace hardhead::hardness
