#include "attention/layer/exact.h"

#include <fmt/format.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hardhead::attention {
namespace {

constexpr double max_power_bits = 0x1p28;

std::size_t at(Index row, Index column, Index d) {
  return static_cast<std::size_t>(row * d + column);
}

template <class Entry>
void check_entries(const std::vector<Entry>& entries, Index d, std::size_t head, const char* matrix) {
  std::vector<std::pair<Index, Index>> places;
  for (const Entry& entry : entries) {
    if (entry.row < 0 || entry.row >= d || entry.column < 0 || entry.column >= d)
      throw InputError(fmt::format("exact layer, head {}: {}[{},{}] is outside the {} x {} matrix", head,
                                   matrix, entry.row, entry.column, d, d));
    places.emplace_back(entry.row, entry.column);
  }
  std::sort(places.begin(), places.end());
  const auto twin = std::adjacent_find(places.begin(), places.end());
  if (twin != places.end())
    throw InputError(fmt::format("exact layer, head {}: {}[{},{}] is listed twice", head, matrix, twin->first,
                                 twin->second));
}

/// half_units * ln(base) / 2, rounded once: 53 of 256 bits are kept, so the rounding before it does not show.
double rounded_theta(std::int64_t base, std::int64_t half_units) {
  mpfr_t x;
  mpfr_init2(x, 256);
  mpfr_set_sj(x, base, MPFR_RNDN);
  mpfr_log(x, x, MPFR_RNDN);
  mpfr_mul_si(x, x, half_units, MPFR_RNDN);
  mpfr_div_2ui(x, x, 1, MPFR_RNDN);
  const double value = half_units == 0 ? 0.0 : mpfr_get_d(x, MPFR_RNDN);
  mpfr_clear(x);
  return value;
}

Integer integer_power(std::int64_t base, std::int64_t exponent) {
  Integer out;
  mpz_ui_pow_ui(out.backend().data(), static_cast<unsigned long>(base), static_cast<unsigned long>(exponent));
  return out;
}

/// Softmax of one row as integers: numerators B^(e_j - min e), one a token, and their sum.
struct RowSoftmax {
  std::vector<Integer> numerators;
  Integer denominator = 0;
};

RowSoftmax row_softmax(const ExactLayer& layer, const ExactLayer::Head& head, std::span<const int> x,
                       Index r) {
  const Index d = layer.d, k = static_cast<Index>(x.size()) / d;
  std::vector<std::int64_t> exponents(static_cast<std::size_t>(k), 0);
  for (const auto& [a, b, half_units] : head.theta) {
    const std::int64_t factor = half_units * x[at(r, a, d)];
    for (Index j = 0; j < k; ++j)
      exponents[static_cast<std::size_t>(j)] += factor * ((x[at(j, b, d)] - x[at(r, b, d)]) / 2);
  }
  const std::int64_t least = *std::min_element(exponents.begin(), exponents.end());
  RowSoftmax softmax;
  for (const std::int64_t exponent : exponents) {
    softmax.numerators.push_back(integer_power(layer.base, exponent - least));
    softmax.denominator += softmax.numerators.back();
  }
  return softmax;
}

}  // namespace

void ExactLayer::validate() const {
  if (d < 1) throw InputError(fmt::format("an exact layer needs d >= 1, not d = {}", d));
  if (base < 2) throw InputError(fmt::format("an exact layer needs a base B >= 2, not {}", base));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    check_entries(heads[i].theta, d, i, "theta");
    check_entries(heads[i].w, d, i, "w");
    double bits = 0;
    for (const ThetaEntry& entry : heads[i].theta)
      bits += std::abs(static_cast<double>(entry.half_units)) * std::log2(static_cast<double>(base));
    if (bits > max_power_bits)
      throw InputError(
          fmt::format("exact layer, head {}: powers of {} may take {} bits, more than the {} allowed", i,
                      base, bits, max_power_bits));
  }
}

Layer ExactLayer::rounded() const {
  validate();
  Layer layer{d, {}};
  for (const Head& head : heads) {
    attention::Head out{Matrix::Zero(d, d), Matrix::Zero(d, d)};
    for (const auto& [row, column, half_units] : head.theta)
      out.theta(row, column) = rounded_theta(base, half_units);
    for (const auto& [row, column, value] : head.w) out.w(row, column) = round_to_nearest(value);
    layer.heads.push_back(std::move(out));
  }
  return layer;
}

std::vector<Rational> ExactLayer::w_sum() const {
  validate();
  std::vector<Rational> sum(at(d, 0, d), Rational(0));
  for (const Head& head : heads)
    for (const auto& [row, column, value] : head.w) sum[at(row, column, d)] += value;
  return sum;
}

std::vector<Rational> evaluate(const ExactLayer& layer, std::span<const int> x) {
  layer.validate();
  const Index d = layer.d, entries = static_cast<Index>(x.size()), k = entries / d;
  if (entries == 0 || entries % d != 0)
    throw InputError(fmt::format("an input of {} entries is not k x d for d = {}", entries, d));
  for (Index n = 0; n < entries; ++n)
    if (const int entry = x[static_cast<std::size_t>(n)]; entry != 1 && entry != -1)
      throw InputError(fmt::format("x[{},{}] is {}, but must be -1 or +1", n / d, n % d, entry));

  std::vector<Rational> y(x.size(), Rational(0));
  for (const ExactLayer::Head& head : layer.heads)
    for (Index r = 0; r < k; ++r) {
      const RowSoftmax softmax = row_softmax(layer, head, x, r);
      for (const auto& [a, b, value] : head.w) {
        Integer mean = 0;  // of feature a over tokens, times the denominator
        for (Index j = 0; j < k; ++j)
          mean += softmax.numerators[static_cast<std::size_t>(j)] * x[at(j, a, d)];
        y[at(r, b, d)] += Rational(mean, softmax.denominator) * value;
      }
    }
  return y;
}

}  // namespace hardhead::attention
