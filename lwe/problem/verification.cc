#include "lwe/problem/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "lwe/problem/neighbours.h"

namespace hardhead::lwe {
namespace {

constexpr double t = 64 * std::numbers::ln2;

bool is_zero(std::span<const Residue> row) {
  return std::ranges::all_of(row, [](Residue a) { return a == 0; });
}

/// By which equal rows are found: of a million different ones, two share it with probability 2^-25.
std::uint64_t hash(std::span<const Residue> row) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
}

/// How many labels a wrong secret has to meet: all, or, where not all secrets can be compared, those of
/// different rows that are not 0. What the others say was said before.
double labels_that_count(const ProblemParameters& p, const Samples& samples) {
  if (neighbours_are_all(p)) return static_cast<double>(samples.count());
  std::vector<std::uint64_t> rows;
  for (std::int64_t i = 0; i < samples.count(); ++i)
    if (!is_zero(samples.row(i))) rows.push_back(hash(samples.row(i)));
  std::ranges::sort(rows);
  return static_cast<double>(std::ranges::unique(rows).begin() - rows.begin());
}

/// log2 of how many other secrets the coefficients leave that no label tells apart, at least, or in
/// expectation for secrets that are not uniform; -infinity for none.
double log2_indistinct(const ProblemParameters& p, const Samples& samples) {
  const double kernel = log2_kernel(samples, p.q);
  if (kernel == 0) return -INFINITY;
  if (p.secret == SecretKind::uniform) return kernel + std::log2(-std::expm1(-kernel * std::numbers::ln2));
  return p.log2_secrets() - (static_cast<double>(p.n) * std::log2(p.q) - kernel);
}

/// Raises log2_impostors to what the coefficients that are there leave, and says so if it is too much.
void compare_with_others(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s,
                         Verification& out) {
  if (!out.verified()) {
    out.message += fmt::format("; but {} samples do not determine a secret (2^{:.0f} wrong ones fit as well)",
                               samples.count(), out.log2_impostors);
    return;
  }
  if (!neighbours_are_all(p)) {
    const double indistinct = log2_indistinct(p, samples);
    out.log2_impostors = std::max(out.log2_impostors, indistinct);
    if (!out.verified()) {
      out.message += fmt::format(
          "; but their coefficients determine the secret only up to 2^{:.1f} others, which no label tells "
          "apart",
          indistinct);
      return;
    }
  }
  const double others = log2_neighbours(p, samples, s);
  out.log2_impostors = std::max(out.log2_impostors, others);
  if (!out.verified())
    out.message += fmt::format(
        "; but the samples determine the secret only up to others, which together are 2^{:.1f} times as "
        "likely",
        others);
}

/// log2 of Chernoff's bound, for each of m labels, of the chance that the squares of m uniform residuals sum
/// to m rms^2 at most: E exp(-t r^2) <= (1 + sqrt(pi / t)) / q, at t = 1 / (2 rms^2).
double log2_chance_of_rms(double rms, double q) {
  return std::log2((1 + std::sqrt(2 * std::numbers::pi) * rms) / q) + 0.5 * std::numbers::log2e;
}

void verify_lwe(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s,
                Verification& out) {
  const Window allowed = window(p);  // of <a,s> - b = -e
  double squares = 0;
  std::int64_t outside = 0;
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const std::int64_t h = inner_product(samples.row(i), s, p.q);
    std::int64_t r = residue(h - samples.label(i), p.q);
    if (2 * r > p.q) r -= p.q;
    // Mod 2 and 3 a residual has one centred form only; -1 must count as inside a window that has it.
    if (r > allowed.high && r - p.q >= allowed.low) r -= p.q;
    outside += r < allowed.low || r > allowed.high ? 1 : 0;
    out.largest_residual = std::max(out.largest_residual, std::abs(r));
    squares += static_cast<double>(r) * static_cast<double>(r);
  }
  const auto m = static_cast<double>(samples.count());
  out.residual_rms = std::sqrt(squares / m);
  const double sigma = noise_deviation(p);  // a binomial error is sub-Gaussian, and its squares no larger
  const double most = sigma * sigma * (m + 2 * std::sqrt(m * t) + 2 * t);
  const bool short_enough = p.noise == Noise::binary || squares <= most;
  out.fits = outside == 0 && short_enough;
  const double values = p.noise == Noise::binary ? 2 : 2 * static_cast<double>(out.largest_residual) + 1;
  const double count = labels_that_count(p, samples);
  const auto q = static_cast<double>(p.q);
  double log2_chance = std::min(0.0, std::log2(values / q));
  if (p.noise != Noise::binary)
    log2_chance = std::min(log2_chance, log2_chance_of_rms(std::sqrt(squares / count), q));
  out.log2_impostors = p.log2_secrets() + count * log2_chance;
  if (outside > 0)
    out.message = fmt::format("{} of {} residuals are outside {} .. {}", outside, samples.count(),
                              -allowed.high, -allowed.low);
  else
    out.message = fmt::format("residuals at most {}, rms {:.4g}{}", out.largest_residual, out.residual_rms,
                              short_enough ? "" : fmt::format(": too large for {}", noise_in_spec(p)));
}

void verify_lwr(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s,
                Verification& out) {
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const std::int64_t h = inner_product(samples.row(i), s, p.q);
    if (rounded(p, h) != samples.label(i)) ++out.largest_residual;
  }
  out.fits = out.largest_residual == 0;
  const double share = static_cast<double>(window(p).width()) / static_cast<double>(p.q);
  out.log2_impostors = p.log2_secrets() + labels_that_count(p, samples) * std::log2(share);
  out.message = fmt::format("{} of {} labels are wrong", out.largest_residual, samples.count());
}

void verify_lpn(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s,
                Verification& out) {
  std::vector<std::pair<std::uint64_t, int>> labels;  // of rows that are not 0; 1: right, -1: wrong
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const auto row = samples.row(i);
    const bool wrong = inner_product(row, s, 2) != samples.label(i);
    out.largest_residual += wrong ? 1 : 0;
    if (!neighbours_are_all(p) && !is_zero(row)) labels.emplace_back(hash(row), wrong ? -1 : 1);
  }
  const auto m = static_cast<double>(samples.count()), wrong = static_cast<double>(out.largest_residual);
  const double slack = p.rate == 0 ? 0 : std::sqrt(t * m / 2);
  out.fits = wrong <= p.rate * m + slack;
  double balance = 0, squares = 0;  // of right labels minus wrong ones, row by row
  std::ranges::sort(labels);
  for (auto at = labels.begin(); at != labels.end();) {
    double of_row = 0;
    for (const auto row = at->first; at != labels.end() && at->first == row; ++at) of_row += at->second;
    balance += of_row;
    squares += of_row * of_row;
  }
  if (neighbours_are_all(p)) {
    balance = m - 2 * wrong;
    squares = m;
  }
  const double exponent =
      p.rate == 0 ? labels_that_count(p, samples) * std::numbers::ln2 : balance * balance / (2 * squares);
  out.log2_impostors = balance <= 0 ? INFINITY : p.log2_secrets() - exponent / std::numbers::ln2;
  out.message = fmt::format("{} of {} labels are wrong, {:.1f} are expected", out.largest_residual,
                            samples.count(), p.rate * m);
}

/// The least L with m P(|e| > L) <= failure, of Gaussian errors: the largest of m is no larger, but for that.
double largest_error(double sigma, double m, double failure) {
  double low = 0, high = std::ceil(10 * sigma) + 1;
  while (low < high) {
    const double middle = std::floor((low + high) / 2);
    if (m * std::erfc((middle + 0.5) / (sigma * std::numbers::sqrt2)) <= failure)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// log2 of the chance that a uniform residual is as small as those of m labels (see samples_to_verify()).
double log2_chance(const ProblemParameters& p, double m, double deviations) {
  const auto q = static_cast<double>(p.q);
  if (p.problem == ProblemKind::lwr || p.noise == Noise::binary)
    return std::log2(static_cast<double>(window(p).width()) / q);
  const double sigma = noise_deviation(p);
  if (sigma == 0) return -std::log2(q);
  const double failure = deviations > 0 ? 0.02 : std::numbers::ln2;
  const double rms = sigma * std::sqrt(1 + deviations * std::sqrt(2 / m));
  const auto possible = static_cast<double>(window(p).high);
  const double largest = std::min(largest_error(sigma, m, failure), possible);
  return std::min(std::log2((2 * largest + 1) / q), log2_chance_of_rms(rms, q));
}

}  // namespace

std::optional<double> samples_to_verify(const ProblemParameters& p, double deviations) {
  const double bits = p.log2_secrets() - Verification::log2_doubt;
  if (p.problem == ProblemKind::lpn) {
    const double root = std::sqrt(2 * std::numbers::ln2 * bits), spread = std::sqrt(p.rate * (1 - p.rate));
    const double more = (root + 2 * deviations * spread) / (1 - 2 * p.rate);
    return p.rate == 0 ? bits : more * more;
  }
  constexpr double most = 1e12, growth = 1.05;
  for (double m = 1; m <= most; m = std::max(m + 1, std::floor(m * growth)))
    if (bits + m * log2_chance(p, m, deviations) <= 0) return m;
  return std::nullopt;
}

void check_samples(const ProblemParameters& p, const Samples& samples) {
  p.validate();
  if (samples.n != p.n || samples.a.size() != samples.b.size() * static_cast<std::size_t>(p.n) ||
      samples.b.empty())
    throw InputError(
        fmt::format("samples: {} coefficients and {} labels; n={} needs n a label, and one label at least",
                    samples.a.size(), samples.b.size(), p.n));
  for (std::size_t i = 0; i < samples.a.size(); ++i)
    if (samples.a[i] >= p.q)
      throw InputError(fmt::format("sample {}: coefficient {} is not below q={}",
                                   i / static_cast<std::size_t>(p.n), samples.a[i], p.q));
  for (std::size_t i = 0; i < samples.b.size(); ++i)
    if (samples.b[i] >= p.labels())
      throw InputError(fmt::format("sample {}: label {} is not below {}", i, samples.b[i], p.labels()));
}

Verification verify(const ProblemParameters& p, const Samples& samples, std::span<const Residue> secret) {
  check_samples(p, samples);
  Verification out;
  out.message = defect_of_secret(p, secret);
  out.in_secret_space = out.message.empty();
  if (!out.in_secret_space) return out;
  const auto check = p.problem == ProblemKind::lwe   ? verify_lwe
                     : p.problem == ProblemKind::lwr ? verify_lwr
                                                     : verify_lpn;
  check(p, samples, secret, out);
  if (out.fits) compare_with_others(p, samples, secret, out);
  return out;
}

Verification verify(const Challenge& challenge, std::span<const Residue> secret) {
  const std::vector<ProblemParameters> readings = challenge.readings();
  Verification out = verify(readings.front(), challenge.samples, secret);
  for (std::size_t i = 1; i < readings.size() && !out.verified(); ++i)
    if (Verification other = verify(readings[i], challenge.samples, secret); other.verified()) {
      out = std::move(other);
      out.message += fmt::format(", rounded: {}", name_of(readings[i].rounding));
    }
  return out;
}

}  // namespace hardhead::lwe
