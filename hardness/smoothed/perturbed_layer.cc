#include "hardness/smoothed/perturbed_layer.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/gadget/certified_rounding.h"

namespace hardhead::hardness {
namespace {

using Real = RealOf<40>;
__extension__ using Wide = __int128;

constexpr int fraction_bits = 90;
constexpr double most_sigma = 1 << 20;

Wide fixed(const Rational& value) {
  const Rational scaled_up = value * Rational(Integer(1) << fraction_bits);
  const Rational shifted = scaled_up + Rational(1, 2);
  Integer whole = numerator(shifted) / denominator(shifted);  // towards 0
  if (Rational(whole) > shifted) --whole;
  const Integer size = abs(whole);
  const Wide high = static_cast<std::uint64_t>(size >> 64),
             low = static_cast<std::uint64_t>(size & ((Integer(1) << 64) - 1));
  const Wide out = (high << 64) + low;
  return whole < 0 ? -out : out;
}

Real real(Wide value) {
  const bool negative = value < 0;
  const Wide size = negative ? -value : value;
  const Real high = ldexp(Real(static_cast<std::uint64_t>(size >> 64)), 64 - fraction_bits),
             low = ldexp(Real(static_cast<std::uint64_t>(size)), -fraction_bits);
  const Real out = high + low;
  return negative ? Real(-out) : out;
}

Real sigmoid(const Real& logit) {
  return 1 / (1 + exp(Real(-logit)));
}

std::size_t place(Index d, Index row, Index column) {
  return static_cast<std::size_t>(column * d + row);
}

}  // namespace

PerturbedLayer::PerturbedLayer(const attention::ExactLayer& exact, const Perturbation& perturbation,
                               const Stream& stream)
    : d_(exact.d) {
  if (!(perturbation.sigma >= 0 && perturbation.sigma <= most_sigma))
    throw InputError(fmt::format("sigma={} is not in 0 .. 2^20", perturbation.sigma));
  if (!(perturbation.temperature >= 1e-3 && perturbation.temperature <= 1e3))
    throw InputError(fmt::format("temperature={} is not in 0.001 .. 1000", perturbation.temperature));
  exact.validate();
  unit_ = log(Real(exact.base)) / 2 / Real(perturbation.temperature);
  const auto entries = static_cast<std::size_t>(d_ * d_);
  for (const Rational& value : exact.w_sum()) w_sum_.push_back(fixed(value));
  for (std::size_t i = 0; i < exact.heads.size(); ++i) {
    Head head{exact.heads[i].theta,
              {},
              std::vector<Fixed>(entries),
              std::vector<bool>(static_cast<std::size_t>(d_))};
    for (const auto& entry : exact.heads[i].w)
      head.w[place(d_, entry.row, entry.column)] = fixed(entry.value);
    if (perturbation.sigma > 0) {
      const Matrix noise = scaled(perturbation.sigma, gaussian_matrix(stream, i, d_, d_));
      std::vector<Fixed> whole(entries);
      for (Index a = 0; a < d_; ++a)
        for (Index b = 0; b < d_; ++b) {
          whole[place(d_, a, b)] = fixed(Rational(noise(a, b)));
          if (perturbation.where == Perturbed::w) {
            head.w[place(d_, a, b)] += whole[place(d_, a, b)];
            w_sum_[static_cast<std::size_t>(a * d_ + b)] += whole[place(d_, a, b)];
          }
        }
      if (perturbation.where == Perturbed::theta) head.theta_noise = std::move(whole);
    }
    for (Index b = 0; b < d_; ++b)
      for (Index a = 0; a < d_; ++a)
        if (head.w[place(d_, a, b)] != 0) head.used[static_cast<std::size_t>(b)] = true;
    if (head.theta_noise.empty()) {
      for (const auto& entry : head.theta) head.least -= 2 * std::abs(entry.half_units);
      for (std::int64_t at = head.least; at <= -head.least; ++at)
        head.weights.push_back(sigmoid(Real(at) * unit_));
    }
    heads_.push_back(std::move(head));
  }
}

void PerturbedLayer::label(attention::Block& block) const {
  for (Index n = 0; n < block.count; ++n)
    for (Index r = 0; r < 2; ++r) label_row(block, n, r);
}

void PerturbedLayer::label_row(attention::Block& block, Index n, Index r) const {
  const Index self = block.column(r, n), other = block.column(1 - r, n);
  std::vector<int> x(static_cast<std::size_t>(d_)), u(static_cast<std::size_t>(d_));  // u = x_{r'} - x_r
  for (Index a = 0; a < d_; ++a) {
    const auto at = static_cast<std::size_t>(a);
    x[at] = block.x(a, self) > 0 ? 1 : -1;
    u[at] = (block.x(a, other) > 0 ? 1 : -1) - x[at];
  }
  const auto column_sum = [&](const std::vector<Fixed>& matrix, Index b, const std::vector<int>& by) {
    Fixed out = 0;
    for (Index a = 0; a < d_; ++a) out += matrix[place(d_, a, b)] * by[static_cast<std::size_t>(a)];
    return out;
  };
  std::vector<Real> y;
  for (Index c = 0; c < d_; ++c) {
    Fixed sum = 0;
    for (Index a = 0; a < d_; ++a)
      sum += w_sum_[static_cast<std::size_t>(a * d_ + c)] * x[static_cast<std::size_t>(a)];
    y.push_back(real(sum));
  }
  for (const Head& head : heads_) {
    std::vector<std::pair<Index, Fixed>> values;  // W_i^T u, where it is not 0
    for (Index c = 0; c < d_; ++c)
      if (head.used[static_cast<std::size_t>(c)])
        if (const Fixed value = column_sum(head.w, c, u); value != 0) values.emplace_back(c, value);
    if (values.empty()) continue;
    std::int64_t half_units = 0;
    for (const auto& entry : head.theta)
      half_units += entry.half_units * x[static_cast<std::size_t>(entry.row)] *
                    u[static_cast<std::size_t>(entry.column)];
    Fixed noise = 0;
    if (!head.theta_noise.empty())
      for (Index b = 0; b < d_; ++b)
        if (const int by = u[static_cast<std::size_t>(b)]; by != 0)
          noise += by * column_sum(head.theta_noise, b, x);
    const Real weight = head.theta_noise.empty()
                            ? head.weights[static_cast<std::size_t>(half_units - head.least)]
                            : sigmoid(Real(half_units) * unit_ + real(noise));
    for (const auto& [c, value] : values) y[static_cast<std::size_t>(c)] += weight * real(value);
  }
  for (Index c = 0; c < d_; ++c) block.y(c, self) = static_cast<double>(y[static_cast<std::size_t>(c)]) + 0.0;
}

attention::Layer PerturbedLayer::rounded() const {
  attention::Layer out{d_, {}};
  for (const Head& head : heads_) {
    out.heads.push_back({Matrix::Zero(d_, d_), Matrix::Zero(d_, d_)});
    attention::Head& rounded = out.heads.back();
    for (Index a = 0; a < d_; ++a)
      for (Index b = 0; b < d_; ++b) {
        if (!head.theta_noise.empty())
          rounded.theta(a, b) = static_cast<double>(real(head.theta_noise[place(d_, a, b)]));
        rounded.w(a, b) = static_cast<double>(real(head.w[place(d_, a, b)]));
      }
    for (const auto& entry : head.theta) {
      const Fixed noise = head.theta_noise.empty() ? 0 : head.theta_noise[place(d_, entry.row, entry.column)];
      rounded.theta(entry.row, entry.column) =
          static_cast<double>(Real(Real(entry.half_units) * unit_ + real(noise)));
    }
  }
  return out;
}

double PerturbedLayer::bytes(Index d, Index m) {
  const auto features = static_cast<double>(d), heads = static_cast<double>(m);
  const double sigmoids = 20 * heads + 16;  // a head: its steps are at most at the m-th level
  return 16 * features * features * (2 * heads + 1) + 64 * heads * features + 128 * heads * sigmoids;
}

}  // namespace hardhead::hardness
