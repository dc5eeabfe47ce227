#include "lwe/attacks/fourier.h"

#include <fmt/format.h>

#include <numbers>

#include "base/numeric/walsh_hadamard.h"
#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"

/// The secret of learning with rounding, q = 2^l, bit by bit from correlations of labels with characters. If
/// r = w mod 2^(k-1) is known, then over uniform a
///
///     E[ g(h) exp(-2 pi i <a, r> / 2^k) (-1)^<a, v> ] = rounding_coefficient(p, k)
///
/// for v = bit k - 1 of w: h / 2^k = <a, r> / 2^k + <a, v> / 2 up to an integer. One Walsh-Hadamard transform
/// over the 2^n values of a mod 2 gives this mean over the samples for all v at once, and the v whose mean is
/// nearest to the coefficient is taken. (Nearest and not largest: v = bit k-1 plus bit 0 of w has the
/// coefficient at the frequency times 1 + 2^(k-1), of another phase.)
namespace hardhead::lwe {
namespace {

constexpr std::int64_t most_entries = 28;

std::complex<double> turn(std::int64_t numerator, std::int64_t denominator) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(numerator % denominator) /
                             static_cast<double>(denominator));
}

Candidate run_fourier(const Challenge& challenge, const RunContext& context, std::string& message) {
  const ProblemParameters& p = challenge.parameters;
  const Samples& samples = challenge.samples;
  const auto n = static_cast<std::size_t>(p.n);
  double mean = 0;
  for (const Residue b : samples.b) mean += b;
  mean /= static_cast<double>(samples.count());
  std::vector<Residue> secret(n, 0);
  std::vector<std::complex<double>> sums(std::size_t{1} << n);
  for (int k = 1; k <= log2_modulus(p); ++k) {
    context.stop.check();
    std::ranges::fill(sums, 0);
    for (std::int64_t i = 0; i < samples.count(); ++i) {
      const auto row = samples.row(i);
      std::size_t low = 0;
      for (std::size_t j = 0; j < n; ++j) low |= static_cast<std::size_t>(row[j] & 1) << j;
      const std::int64_t known = inner_product(row, secret, p.q);
      sums[low] += (samples.label(i) - mean) * turn(known, std::int64_t{1} << k);
    }
    simple_walsh_hadamard(std::span(sums));
    const std::complex<double> expected = rounding_coefficient(p, k) * static_cast<double>(samples.count());
    std::size_t nearest = 0;
    for (std::size_t v = 1; v < sums.size(); ++v)
      if (std::abs(sums[v] - expected) < std::abs(sums[nearest] - expected)) nearest = v;
    for (std::size_t j = 0; j < n; ++j) secret[j] |= static_cast<Residue>((nearest >> j & 1) << (k - 1));
  }
  message = fmt::format("all {} bits of each entry were guessed, one after the other", log2_modulus(p));
  return secret;
}

/// As many that noise of deviation sqrt(E (g - Eg)^2 / N) in each of 2^n means stays below half of the least
/// coefficient, but for a probability of about e^-5 a bit.
double samples_wanted(const ProblemParameters& p, double least) {
  const auto levels = static_cast<double>(p.p);
  const double variance = (levels * levels - 1) / 12;
  return 4 * (std::numbers::ln2 * static_cast<double>(p.n) + 5) * variance / (least * least);
}

Cost fourier_cost(const ProblemParameters& p, std::int64_t samples) {
  if (p.problem != ProblemKind::lwr || !is_power_of_two(p.q))
    return Cost::impossible("it reads labels of lwr with q a power of two");
  if (p.n > most_entries)
    return Cost::impossible(fmt::format("it takes 2^n sums: n is at most {}", most_entries));
  double least = 1;
  for (int k = 1; k <= log2_modulus(p); ++k) least = std::min(least, std::abs(rounding_coefficient(p, k)));
  if (least < 1e-12) return Cost::impossible("p divides q: labels do not correlate with low bits");
  const auto n = static_cast<double>(p.n), used = static_cast<double>(samples), sums = std::exp2(n);
  const double bits = log2_modulus(p);
  return {std::nullopt,
          machine.start + bits * (used * (machine.turn + machine.word_step * 2 * n) +
                                  2 * machine.fourier_step * n * sums),
          16 * sums, samples_wanted(p, least)};
}

}  // namespace

std::complex<double> rounding_coefficient(const ProblemParameters& p, int k) {
  std::complex<double> sum = 0;
  for (std::int64_t h = 0; h < p.q; ++h)
    sum += static_cast<double>(rounded(p, h)) * turn(h, std::int64_t{1} << k);
  return sum / static_cast<double>(p.q);
}

Attack detail::fourier_attack() {
  return {"fourier", "correlations of labels with characters of low bits, by Walsh-Hadamard transforms",
          "heuristic; for p that does not divide q, where labels correlate with low bits", fourier_cost,
          run_fourier};
}

}  // namespace hardhead::lwe
