#include "hardness/smoothed/perturbed_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/gadget/certified_rounding.h"

namespace hardhead::hardness {
namespace {

using Wide = Int128;

constexpr int fraction_bits = 90;
constexpr double most_sigma = 1 << 20;

Wide fixed(const Rational& value) {
  const Integer whole = floor_of(value * Rational(Integer(1) << fraction_bits) + Rational(1, 2));
  const Integer size = abs(whole);
  const Wide high = static_cast<std::uint64_t>(size >> 64),
             low = static_cast<std::uint64_t>(size & ((Integer(1) << 64) - 1));
  const Wide out = (high << 64) + low;
  return whole < 0 ? -out : out;
}

std::size_t place(Index d, Index row, Index column) {
  return static_cast<std::size_t>(row * d + column);
}

/// sum_a signs_a (row a of the square matrix), signs_a = -1, 0, 1.
std::vector<Wide> signed_sum(const std::vector<Wide>& matrix, const std::vector<int>& signs) {
  const std::size_t d = signs.size();
  std::vector<Wide> out(d);
  for (std::size_t a = 0; a < d; ++a) {
    const Wide* const row = matrix.data() + a * d;
    if (signs[a] > 0)
      for (std::size_t c = 0; c < d; ++c) out[c] += row[c];
    else if (signs[a] < 0)
      for (std::size_t c = 0; c < d; ++c) out[c] -= row[c];
  }
  return out;
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
  using Real = RealOf<60>;
  const Real unit = log(Real(exact.base)) / 2 / Real(perturbation.temperature);
  unit_ = round(ldexp(unit, sigmoid_bits)).convert_to<FixedPoint>();
  const auto entries = static_cast<std::size_t>(d_ * d_);
  for (const Rational& value : exact.w_sum()) w_sum_.push_back(fixed(value));
  for (std::size_t i = 0; i < exact.heads.size(); ++i) {
    Head head{exact.heads[i].theta, {}, std::vector<Wide>(entries)};
    for (const auto& entry : exact.heads[i].w)
      head.w[place(d_, entry.row, entry.column)] = fixed(entry.value);
    if (perturbation.sigma > 0) {
      const Matrix noise = scaled(perturbation.sigma, gaussian_matrix(stream, i, d_, d_));
      const bool of_w = perturbation.where == Perturbed::w;
      if (!of_w) head.theta_noise.resize(entries);
      for (Index a = 0; a < d_; ++a)
        for (Index b = 0; b < d_; ++b) {
          const Wide whole = fixed(Rational(noise(a, b)));
          if (of_w) {
            head.w[place(d_, a, b)] += whole;
            w_sum_[place(d_, a, b)] += whole;
          } else {
            head.theta_noise[place(d_, b, a)] = whole;
          }
        }
    }
    if (head.theta_noise.empty()) {
      for (const auto& entry : head.theta) head.least -= 2 * std::abs(entry.half_units);
      for (std::int64_t at = head.least; at <= -head.least; ++at) head.weights.push_back(attention(at, 0));
    }
    heads_.push_back(std::move(head));
  }
}

void PerturbedLayer::label(attention::Block& block) const {
  for (Index n = 0; n < block.count; ++n) label_example(block, n);
}

void PerturbedLayer::label_example(attention::Block& block, Index n) const {
  constexpr UnsignedInt128 one = UnsignedInt128{1} << sigmoid_bits;
  const auto d = static_cast<std::size_t>(d_);
  std::array<std::vector<int>, 2> x;
  std::array<std::vector<ProductSum>, 2> y;
  for (const Index r : {0, 1}) {
    const auto at = static_cast<std::size_t>(r);
    for (Index a = 0; a < d_; ++a) x[at].push_back(block.x(a, block.column(r, n)) > 0 ? 1 : -1);
    for (const Wide sum : signed_sum(w_sum_, x[at])) y[at].emplace_back().add(one, sum);
  }
  std::vector<int> half(d);  // of u in row 0; in row 1 it is the opposite
  for (std::size_t a = 0; a < d; ++a) half[a] = (x[1][a] - x[0][a]) / 2;
  for (const Head& head : heads_) {
    const std::vector<Wide> values = signed_sum(head.w, half);
    if (std::ranges::all_of(values, [](Wide value) { return value == 0; })) continue;
    const std::vector<Wide> noise =
        head.theta_noise.empty() ? std::vector<Wide>() : signed_sum(head.theta_noise, half);
    for (const std::size_t r : {0u, 1u}) {
      const int twice = r == 0 ? 2 : -2;
      std::int64_t half_units = 0;
      for (const auto& entry : head.theta)
        half_units += twice * entry.half_units * x[r][static_cast<std::size_t>(entry.row)] *
                      half[static_cast<std::size_t>(entry.column)];
      Wide off = 0;
      for (std::size_t a = 0; a < noise.size(); ++a) off += twice * x[r][a] * noise[a];
      const UnsignedInt128 weight = noise.empty()
                                        ? head.weights[static_cast<std::size_t>(half_units - head.least)]
                                        : attention(half_units, off);
      for (std::size_t c = 0; c < d; ++c) y[r][c].add(weight, twice * values[c]);
    }
  }
  for (const Index r : {0, 1})
    for (Index c = 0; c < d_; ++c)
      block.y(c, block.column(r, n)) = nearest_double(
          y[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)].value(), fraction_bits + sigmoid_bits);
}

UnsignedInt128 PerturbedLayer::attention(std::int64_t half_units, Wide noise) const {
  return static_cast<UnsignedInt128>(sigmoid(logit(half_units, noise)));
}

FixedPoint PerturbedLayer::logit(std::int64_t half_units, Wide noise) const {
  return half_units * unit_ + (FixedPoint(noise) << (sigmoid_bits - fraction_bits));
}

attention::Layer PerturbedLayer::rounded() const {
  attention::Layer out{d_, {}};
  for (const Head& head : heads_) {
    out.heads.push_back({Matrix::Zero(d_, d_), Matrix::Zero(d_, d_)});
    attention::Head& rounded = out.heads.back();
    for (Index a = 0; a < d_; ++a)
      for (Index b = 0; b < d_; ++b) {
        if (!head.theta_noise.empty())
          rounded.theta(a, b) = nearest_double(head.theta_noise[place(d_, b, a)], fraction_bits);
        rounded.w(a, b) = nearest_double(head.w[place(d_, a, b)], fraction_bits);
      }
    for (const auto& entry : head.theta) {
      const Wide noise = head.theta_noise.empty() ? 0 : head.theta_noise[place(d_, entry.column, entry.row)];
      rounded.theta(entry.row, entry.column) = nearest_double(logit(entry.half_units, noise), sigmoid_bits);
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
