#include "lwe/problem/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/error.h"
#include "lwe/problem/kernel.h"

namespace hardhead::lwe {
namespace {

constexpr double t = 64 * std::numbers::ln2;

bool in_space(const ProblemParameters& p, std::span<const Residue> s, std::string& why) {
  if (static_cast<std::int64_t>(s.size()) != p.n) {
    why = fmt::format("the secret has {} entries, n={}", s.size(), p.n);
    return false;
  }
  std::int64_t ones = 0;
  for (std::size_t j = 0; j < s.size(); ++j) {
    const bool small = s[j] <= 1 || (p.secret == SecretKind::ternary && s[j] == p.q - 1);
    if (s[j] >= p.q || (p.secret != SecretKind::uniform && !small)) {
      why = fmt::format("entry {} of the secret is {}, which no {} secret mod {} has", j, s[j],
                        to_string(p.secret), p.q);
      return false;
    }
    ones += s[j] == 1 ? 1 : 0;
  }
  if (p.secret == SecretKind::fixed_weight && ones != p.weight) {
    why = fmt::format("the secret has {} ones, weight={}", ones, p.weight);
    return false;
  }
  return true;
}

/// How many different rows there are that are not 0: what the others say was said before.
double distinct_rows(const Samples& samples) {
  std::vector<std::span<const Residue>> rows;
  for (std::int64_t i = 0; i < samples.count(); ++i)
    if (std::ranges::any_of(samples.row(i), [](Residue a) { return a != 0; })) rows.push_back(samples.row(i));
  std::ranges::sort(rows, std::ranges::lexicographical_compare);
  return static_cast<double>(std::ranges::unique(rows, std::ranges::equal).begin() - rows.begin());
}

/// Column j times `factor` mod q: what all labels see of entry j, or of a change of it by the factor.
std::vector<Residue> column(const Samples& samples, std::int64_t j, std::int64_t factor, std::int64_t q) {
  std::vector<Residue> out;
  for (std::int64_t i = 0; i < samples.count(); ++i)
    out.push_back(static_cast<Residue>(samples.row(i)[static_cast<std::size_t>(j)] * factor % q));
  return out;
}

/// How many small secrets there are that differ from `s` in one entry, or in two with equal columns
/// exchanged, and have the same residuals.
std::int64_t small_changes(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s) {
  std::int64_t out = 0;
  std::map<std::vector<Residue>, std::map<Residue, std::int64_t>> entries_of;
  for (std::int64_t j = 0; j < p.n; ++j) {
    const Residue entry = s[static_cast<std::size_t>(j)];
    std::map<Residue, std::int64_t>& same = entries_of[column(samples, j, 1, p.q)];
    ++same[entry];
    for (const auto& [other, count] : same) out += other == entry ? 0 : count;
    if (p.secret == SecretKind::fixed_weight) continue;
    for (const Residue other : p.alphabet()) {
      const std::vector<Residue> seen = column(samples, j, (other + p.q - entry) % p.q, p.q);
      out += other != entry && std::ranges::all_of(seen, [](Residue a) { return a == 0; }) ? 1 : 0;
    }
  }
  return out;
}

/// log2 of how many other secrets the coefficients leave that no label tells apart; -infinity for none.
double log2_indistinct(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s) {
  const double kernel = log2_kernel(samples, p.q);
  if (kernel == 0) return -INFINITY;
  if (p.secret == SecretKind::uniform) return kernel + std::log2(-std::expm1(-kernel * std::numbers::ln2));
  const double expected = p.log2_secrets() - (static_cast<double>(p.n) * std::log2(p.q) - kernel);
  return std::max(expected, std::log2(static_cast<double>(small_changes(p, samples, s))));
}

void verify_lwe(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s,
                Verification& out) {
  const Window allowed = window(p);  // of <a,s> - b = -e
  double squares = 0;
  std::int64_t outside = 0;
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const auto h = static_cast<std::int64_t>(inner_product(samples.row(i).data(), s.data(), p.n, p.q));
    std::int64_t r = (h - static_cast<std::int64_t>(samples.b[static_cast<std::size_t>(i)]) + p.q) % p.q;
    if (2 * r > p.q) r -= p.q;
    // Mod 2 and 3 a residual has one centred form only; -1 must count as inside a window that has it.
    if (r > allowed.high && r - p.q >= allowed.low) r -= p.q;
    outside += r < allowed.low || r > allowed.high ? 1 : 0;
    out.largest_residual = std::max(out.largest_residual, std::abs(r));
    squares += static_cast<double>(r) * static_cast<double>(r);
  }
  const auto m = static_cast<double>(samples.count());
  out.residual_rms = std::sqrt(squares / m);
  const double most = p.sigma * p.sigma * (m + 2 * std::sqrt(m * t) + 2 * t);
  const bool short_enough = p.noise == Noise::binary || squares <= most;
  out.fits = outside == 0 && short_enough;
  const double values = p.noise == Noise::binary ? 2 : 2 * static_cast<double>(out.largest_residual) + 1;
  out.log2_impostors =
      p.log2_secrets() + distinct_rows(samples) * std::min(0.0, std::log2(values / static_cast<double>(p.q)));
  if (outside > 0)
    out.message = fmt::format("{} of {} residuals are outside {} .. {}", outside, samples.count(),
                              -allowed.high, -allowed.low);
  else
    out.message = fmt::format("residuals at most {}, rms {:.4g}{}", out.largest_residual, out.residual_rms,
                              short_enough ? "" : fmt::format(": too large for sigma={}", p.sigma));
}

void verify_lwr(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s,
                Verification& out) {
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const auto h = static_cast<std::int64_t>(inner_product(samples.row(i).data(), s.data(), p.n, p.q));
    if (h * p.p / p.q != samples.b[static_cast<std::size_t>(i)]) ++out.largest_residual;
  }
  out.fits = out.largest_residual == 0;
  const std::int64_t residues = (p.q + p.p - 1) / p.p;  // of one label, at most
  const double share = static_cast<double>(residues) / static_cast<double>(p.q);
  out.log2_impostors = p.log2_secrets() + distinct_rows(samples) * std::log2(share);
  out.message = fmt::format("{} of {} labels are wrong", out.largest_residual, samples.count());
}

void verify_lpn(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s,
                Verification& out) {
  for (std::int64_t i = 0; i < samples.count(); ++i)
    if (inner_product(samples.row(i).data(), s.data(), p.n, 2) != samples.b[static_cast<std::size_t>(i)])
      ++out.largest_residual;
  const auto m = static_cast<double>(samples.count()), wrong = static_cast<double>(out.largest_residual);
  const double slack = p.rate == 0 ? 0 : std::sqrt(t * m / 2);
  out.fits = wrong <= p.rate * m + slack;
  const double gap = 0.5 - wrong / m;
  const double exponent = p.rate == 0 ? m * std::numbers::ln2 : 2 * m * gap * gap;
  out.log2_impostors = gap <= 0 ? INFINITY : p.log2_secrets() - exponent / std::numbers::ln2;
  out.message = fmt::format("{} of {} labels are wrong, {:.1f} are expected", out.largest_residual,
                            samples.count(), p.rate * m);
}

}  // namespace

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
  const std::int64_t labels = p.problem == ProblemKind::lwr ? p.p : p.q;
  for (std::size_t i = 0; i < samples.b.size(); ++i)
    if (samples.b[i] >= labels)
      throw InputError(fmt::format("sample {}: label {} is not below {}", i, samples.b[i], labels));
}

Verification verify(const ProblemParameters& p, const Samples& samples, std::span<const Residue> secret) {
  check_samples(p, samples);
  Verification out;
  out.in_secret_space = in_space(p, secret, out.message);
  if (!out.in_secret_space) return out;
  switch (p.problem) {
    case ProblemKind::lwe:
      verify_lwe(p, samples, secret, out);
      break;
    case ProblemKind::lwr:
      verify_lwr(p, samples, secret, out);
      break;
    case ProblemKind::lpn:
      verify_lpn(p, samples, secret, out);
      break;
  }
  if (out.verified()) {
    const double indistinct = log2_indistinct(p, samples, secret);
    if (indistinct > out.log2_impostors) out.log2_impostors = indistinct;
    if (!out.verified())
      out.message += fmt::format(
          "; but their coefficients determine the secret only up to 2^{:.1f} others, which no label tells "
          "apart",
          indistinct);
  } else if (out.fits) {
    out.message += fmt::format("; but {} samples do not determine a secret (2^{:.0f} wrong ones fit as well)",
                               samples.count(), out.log2_impostors);
  }
  return out;
}

}  // namespace hardhead::lwe
