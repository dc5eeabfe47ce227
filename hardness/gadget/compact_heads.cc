#include "hardness/gadget/compact_heads.h"

#include <fmt/format.h>
#include <mpfr.h>

#include <numeric>

#include "base/error.h"
#include "hardness/gadget/certified_rounding.h"

namespace hardhead::hardness {
namespace {

using attention::ExactLayer;
using attention::Index;

/// n, the last h of the sum.
long last_of(long m) {
  return m / 2 * 2 + 1;
}

StepSum start_of(long m, std::int64_t base) {
  const long ratio = compact_ratio(m, base);
  const Interval step = Interval::around(power(Rational(base), 4)),
                 ramp = step.root(static_cast<unsigned>(ratio));
  StepSum out;
  const auto add = [&](const Interval& v, double t, const LongReal& w) {
    out.v.push_back(v);
    out.z.emplace_back(LongReal(exp(-LongReal(t) * log(v.middle()))));
    out.w.emplace_back(w);
  };
  // A ramp of weight w falls by w ln(v) / 4 at its place: 2, and what the tails of the steps add.
  add(ramp, static_cast<double>(last_of(m)) / 2, 10 / log(ramp.middle()));
  for (long j = 1; j < compact_heads(m); ++j) add(step, 2.0 * static_cast<double>(j) - 0.5, -5);
  out.kappa = out.weight_sum() / 2;
  return out;
}

/// The double nearest to ln(x) / 2 for every x of an interval.
double half_logarithm(const Interval& x) {
  const LongReal value = log(x.middle()) / 2, width = (x.high() - x.low()) / abs(x.middle());
  const std::optional<double> out = rounded(value, LongReal(width + ldexp(abs(value), -300)));
  if (!out) throw Error("compact heads: an entry lies too near to the middle of two doubles");
  return *out;
}

double weight(const Interval& w) {
  const std::optional<double> out = rounded(w.middle(), LongReal(w.high() - w.low()));
  if (!out) throw Error("compact heads: a weight lies too near to the middle of two doubles");
  return *out;
}

Rational rational_of(const LongReal& x) {
  Integer digits;
  const long exponent = mpfr_get_z_2exp(digits.backend().data(), x.backend().data());
  return Rational(digits) * power(Rational(2), exponent);
}

/// The layer in units of (ln B) / 2; v_i is B^4 of a step and the k-th root of it of the ramp.
ExactLayer exact_layer(const std::vector<std::int64_t>& s, Index j0, std::int64_t base,
                       const std::vector<Rational>& weights) {
  const long m = std::accumulate(s.begin(), s.end(), std::int64_t{0}), last = last_of(m);
  ExactLayer out;
  out.d = std::ssize(s);
  out.base = base;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const long units = i == 0 ? 4 / compact_ratio(m, base) : 4;
    ExactLayer::Head head;
    for (Index j = 0; j < out.d; ++j)
      if (s[static_cast<std::size_t>(j)] != 0) head.theta.push_back({j, j, units});
    head.theta.push_back({j0, j0, -units * last / 2});
    head.w.push_back({j0, 0, weights[i]});
    out.heads.push_back(std::move(head));
  }
  return out;
}

attention::Layer rounded_layer(const std::vector<std::int64_t>& s, Index j0, const StepSum& sum) {
  const Index d = std::ssize(s);
  attention::Layer out{d, {}};
  for (std::size_t i = 0; i < sum.w.size(); ++i) {
    attention::Head head{attention::Matrix::Zero(d, d), attention::Matrix::Zero(d, d)};
    const double slope = half_logarithm(sum.v[i]);
    for (Index j = 0; j < d; ++j)
      if (s[static_cast<std::size_t>(j)] != 0) head.theta(j, j) = slope;
    head.theta(j0, j0) = half_logarithm(sum.z[i]);
    head.w(j0, 0) = weight(sum.w[i]);
    out.heads.push_back(std::move(head));
  }
  return out;
}

}  // namespace

void check_compact(long m, std::int64_t base) {
  if (m < 1 || m > max_compact_bits)
    throw InputError(fmt::format("compact heads: m={} is not in 1 .. {}", m, max_compact_bits));
  if (base < 2 || base > max_compact_base)
    throw InputError(fmt::format("compact heads: base={} is not in 2 .. {}", base, max_compact_base));
}

long compact_heads(long m) {
  return m / 2 + 1;
}

long compact_ratio(long m, std::int64_t base) {
  const long steps = compact_heads(m) - 1;
  if (steps <= 1) return steps + 1;
  const Rational least = power(Rational(base), 5 * steps);
  long ratio = 1;
  while (power(Rational(8), ratio) < least) ++ratio;
  return ratio;
}

StepSum compact_sum(long m, std::int64_t base) {
  check_compact(m, base);
  const AlternatingGoal goal{.m = last_of(m), .ends = AlternatingGoal::Ends::odd};
  const std::optional<StepSum> near = refined(start_of(m, base), goal);
  const std::optional<StepSum> sum = near ? proved(*near, goal) : std::nullopt;
  if (!sum)
    throw Error(fmt::format(
        "compact heads: m={}, base={}: {}", m, base,
        near ? "no solution is proved next to the computed one" : "Newton's method does not come to rest"));
  return *sum;
}

// By symmetry the values at h = 0 .. n/2 are enough, and with a step's middle taken off, W/2 is gone:
//
//     sum_i w_i (y_i / (x + y_i) - 1/2) = (-1)^h,   x = v_i^h, y_i = v_i^(n/2).
std::optional<std::vector<Rational>> exact_compact_weights(long m, std::int64_t base) {
  check_compact(m, base);
  if (m > 3) return std::nullopt;
  const long n = last_of(m);
  // v_i = B^e, so that v_i^(h - n/2) = B^(e (2h - n) / 2): whole powers for an even e.
  const auto share = [&](long e, long h) {
    return Rational(1) / (1 + power(Rational(base), e * (2 * h - n) / 2)) - Rational(1, 2);
  };
  if (n == 1) return std::vector<Rational>{1 / share(4, 0)};
  const Rational a = share(2, 0), b = share(4, 0), c = share(2, 1), d = share(4, 1), scale = a * d - b * c;
  return std::vector<Rational>{(d + b) / scale, (-c - a) / scale};
}

CompactLayer compact_layer(const std::vector<std::int64_t>& s, Index j0, std::int64_t base, bool flat) {
  const long m = std::accumulate(s.begin(), s.end(), std::int64_t{0});
  CompactLayer out;
  if (const auto weights = exact_compact_weights(m, base)) {
    out.weight_sum = std::accumulate(weights->begin(), weights->end(), Rational(0));
    out.exact = exact_layer(s, j0, base, *weights);
    if (flat) out.exact->heads.push_back({{}, {{j0, 0, Rational(-out.weight_sum)}}});
    out.layer = out.exact->rounded();
  } else {
    const StepSum sum = compact_sum(m, base);
    const Interval w = sum.weight_sum();
    out.weight_sum = rational_of(w.middle());
    out.layer = rounded_layer(s, j0, sum);
    if (flat) {
      const Index d = out.layer.d;
      attention::Head head{attention::Matrix::Zero(d, d), attention::Matrix::Zero(d, d)};
      head.w(j0, 0) = -weight(w);
      out.layer.heads.push_back(std::move(head));
    }
  }
  if (flat) out.weight_sum = 0;
  return out;
}

double compact_bytes(long m) {
  // Two matrices of intervals and one of numbers, each with a copy; an interval takes 160 bytes.
  const auto equations = static_cast<double>(compact_heads(m));
  return 1024 * equations * equations;
}

}  // namespace hardhead::hardness
