#include "lwe/attacks/core_svp.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hardhead::lwe {
namespace {

constexpr int least_block = 40;  // the formula of delta is too small below
constexpr double most_block = 65536;
constexpr double sieve_exponent = 0.292;

double log_delta(double block) {
  using std::numbers::e, std::numbers::pi;
  return std::log(block / (2 * pi * e) * std::pow(pi * block, 1 / block)) / (2 * (block - 1));
}

/// The logarithm of the right side of the condition over its left side.
double log_margin(const ShortVectorProblem& p, double block, double d) {
  const double scale = std::max(1.0, p.noise / p.secret);
  const double volume = std::log(p.noise) + p.n * std::log(scale) + (d - p.n - 1) * std::log(p.q);
  return log_delta(block) * (2 * block - d - 1) + volume / d - std::log(p.noise * std::sqrt(block));
}

/// The d in low .. high of the widest margin, where d^2 log delta = log(q^(n+1) / (sigma w^n)).
double widest_dimension(const ShortVectorProblem& p, double block, double low, double high) {
  const double scale = std::max(1.0, p.noise / p.secret);
  const double missing = (p.n + 1) * std::log(p.q) - p.n * std::log(scale) - std::log(p.noise);
  return std::clamp(std::floor(std::sqrt(std::max(0.0, missing) / log_delta(block))), low, high);
}

}  // namespace

double chance_of_length(double k, double ratio) {
  const double spread = 2 / (9 * k);
  return 0.5 * std::erfc((1 - spread - std::cbrt(ratio)) / std::sqrt(2 * spread));
}

ShortVectorProblem ShortVectorProblem::of(const ProblemParameters& p, std::int64_t samples) {
  ShortVectorProblem out{static_cast<double>(p.n), static_cast<double>(p.q), noise_deviation(p),
                         secret_deviation(p), static_cast<double>(samples)};
  if (p.secret != SecretKind::uniform) return out;
  out.secret = out.noise;
  out.most_samples -= out.n;
  return out;
}

std::optional<CoreSvp> core_svp(const ShortVectorProblem& p) {
  const double largest = p.n + p.most_samples + 1;
  if (p.most_samples < 1) return std::nullopt;
  for (int block = least_block; block <= std::min(largest, most_block); ++block) {
    const double least = std::max<double>(block, p.n + 1);
    const double best = widest_dimension(p, block, least, largest);
    const double spare = log_margin(p, block, best);
    if (spare < 0) continue;
    double low = least, high = best;  // the margin grows up to `best`
    while (low < high) {
      const double middle = std::floor((low + high) / 2);
      if (log_margin(p, block, middle) >= 0)
        high = middle;
      else
        low = middle + 1;
    }
    return CoreSvp{block, static_cast<std::int64_t>(high), sieve_exponent * block,
                   chance_of_length(block, std::exp(2 * spare))};
  }
  return std::nullopt;
}

}  // namespace hardhead::lwe
