#include "hardness/gadget/compact_layer.h"

#include <mpfr.h>

#include <numeric>

#include "base/error.h"
#include "hardness/gadget/certified_rounding.h"
#include "hardness/gadget/compact_heads.h"

namespace hardhead::hardness {
namespace {

using attention::ExactLayer;
using attention::Index;

/// The double nearest to f(x) for every x of an interval, |x f'(x)| at most 1.
template <class Function>
double nearest(const Interval& x, const Function& f) {
  const LongReal value = f(x.middle()), width = (x.high() - x.low()) / abs(x.middle());
  const std::optional<double> out = rounded(value, LongReal(width + ldexp(abs(value), -300)));
  if (!out) throw Error("compact heads: an entry lies too near to the middle of two doubles");
  return *out;
}

double half_logarithm(const Interval& x) {
  return nearest(x, [](const LongReal& at) { return LongReal(log(at) / 2); });
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
  const long m = std::accumulate(s.begin(), s.end(), std::int64_t{0}), last = m / 2 * 2 + 1;
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
