#pragma once
#include <algorithm>
#include <boost/multiprecision/mpfr.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/run/parallel.h"

namespace hardhead::hardness {

/// Roundings of numbers that are known up to an error: each is tried in numbers of 320 bits, and if these do
/// not decide it, in 1600 bits, which decide whatever is below 2^-1075 in size as well: it rounds to 0.

/// A number of at least this many decimal digits (MPFR).
template <unsigned decimal_digits>
using RealOf = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<decimal_digits>,
                                             boost::multiprecision::et_off>;

/// The double to which all numbers within `error` of `value` round; empty if there is none. Zero is +0.0.
template <class Real>
std::optional<double> rounded(const Real& value, const Real& error) {
  const auto low = static_cast<double>(Real(value - error)), high = static_cast<double>(Real(value + error));
  if (low != high) return std::nullopt;
  return low + 0.0;  // -0.0 becomes 0.0
}

/// Items 0 .. count - 1, each rounded. `Fit<digits>(input)` computes in this many decimal digits: its item(i)
/// is a double, or empty where this precision does not decide. What neither decides is exactly(i).
template <template <unsigned> class Fit, class Input, class Exactly>
std::vector<double> certified_roundings(std::int64_t count, const Input& input, const Exactly& exactly) {
  std::vector<std::optional<double>> items(static_cast<std::size_t>(count));
  const auto decide = [&](const auto& make) {
    if (std::ranges::all_of(items, [](const auto& item) { return item.has_value(); })) return;
    const auto fit = make();
    parallel_for_each_index(count, [&](std::int64_t i) {
      std::optional<double>& item = items[static_cast<std::size_t>(i)];
      if (!item) item = fit.item(static_cast<long>(i));
    });
  };
  decide([&] { return Fit<96>(input); });
  decide([&] { return Fit<480>(input); });
  std::vector<double> out;
  for (const std::optional<double>& item : items) out.push_back(item ? *item : exactly(std::ssize(out)));
  return out;
}

}  // namespace hardhead::hardness
