#include "lwe/problem/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/run/parallel.h"

namespace hardhead::lwe {
namespace {

std::string salt(const ProblemParameters& p, const char* what) {
  return fmt::format("{} n={} q={} secret={} weight={}", what, p.n, p.q, name_of(p.secret), p.weight);
}

const ProblemParameters& validated(const ProblemParameters& parameters) {
  parameters.validate();
  return parameters;
}

/// The centred binomial e that a word stands for, by its lowest eta bits and the eta bits from 32 on.
std::int64_t binomial(std::uint64_t word, std::int64_t eta) {
  const std::uint64_t mask = (std::uint64_t{1} << eta) - 1;
  return std::int64_t{std::popcount(word & mask)} - std::popcount(word >> 32 & mask);
}

/// C(2 eta, eta + e) / 4^eta, of a centred binomial.
Rational binomial_share(std::int64_t eta, std::int64_t e) {
  Rational out(1, Integer(1) << static_cast<unsigned>(2 * eta));
  for (std::int64_t i = 1; i <= eta + e; ++i) out *= Rational(2 * eta + 1 - i, i);
  return out;
}

/// Uniform residues from 32-bit words, without bias (Lemire's multiply and reject).
class UniformRow {
 public:
  explicit UniformRow(std::int64_t q)
      : q_(static_cast<std::uint64_t>(q)),
        reject_below_(static_cast<std::uint32_t>((std::uint64_t{1} << 32) % q_)) {}

  void fill(const Stream& stream, std::uint64_t item, std::span<Residue> out) const {
    std::size_t at = 0;
    for (std::uint64_t block = 0; at < out.size(); ++block)
      for (const std::uint64_t word : stream.bits(item, block))
        for (const std::uint64_t half : {word & 0xffffffff, word >> 32}) {
          const std::uint64_t product = half * q_;
          if (at < out.size() && static_cast<std::uint32_t>(product) >= reject_below_)
            out[at++] = static_cast<Residue>(product >> 32);
        }
  }

 private:
  std::uint64_t q_;
  std::uint32_t reject_below_;
};

}  // namespace

std::vector<Residue> draw_secret(const ProblemParameters& p, std::uint64_t seed) {
  return draw_secret(p, Stream(Domain::instance, seed, salt(p, "lwe secret")));
}

std::vector<Residue> draw_secret(const ProblemParameters& p, const Stream& stream) {
  std::vector<Residue> out(static_cast<std::size_t>(p.n), 0);
  constexpr std::uint64_t signs = std::uint64_t{1} << 40;  // a block that no place is drawn from
  if (p.has_fixed_weight()) {
    for (const std::int64_t j : draw_subset(stream, p.n, p.weight)) {
      const bool negative = p.secret == SecretKind::sparse_ternary &&
                            (stream.bits(static_cast<std::uint64_t>(j), signs)[0] & 1) != 0;
      out[static_cast<std::size_t>(j)] = negative ? static_cast<Residue>(p.q - 1) : 1;
    }
    return out;
  }
  if (p.secret == SecretKind::binomial || p.secret == SecretKind::gaussian) {
    const auto law =
        p.secret == SecretKind::gaussian ? std::optional<DiscreteGaussian>(p.secret_sigma) : std::nullopt;
    for (std::size_t j = 0; j < out.size(); ++j) {
      const std::uint64_t word = stream.bits(j, 0)[0];
      out[j] = residue(law ? law->value(word) : binomial(word, p.secret_eta), p.q);
    }
    return out;
  }
  const auto values = static_cast<std::uint64_t>(p.entry_values());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const std::uint64_t v = stream.below(j, values);
    out[j] = static_cast<Residue>(p.secret == SecretKind::ternary && v == 2 ? p.q - 1 : v);
  }
  return out;
}

Residue label(const ProblemParameters& p, const Residue* a, const std::vector<Residue>& secret,
              std::int64_t error) {
  const auto h = static_cast<std::int64_t>(inner_product({a, secret.size()}, secret, p.q));
  if (p.problem == ProblemKind::lwr) return rounded(p, h);
  return residue(h + error, p.q);
}

ErrorLaw::ErrorLaw(const ProblemParameters& p) : parameters_(p) {
  if (p.problem == ProblemKind::lwe && p.noise == Noise::gaussian && p.sigma > 0) gaussian_.emplace(p.sigma);
}

std::int64_t ErrorLaw::value(std::uint64_t word) const {
  const ProblemParameters& p = parameters_;
  if (gaussian_) return gaussian_->value(word);
  if (p.problem == ProblemKind::lpn) return static_cast<double>(word >> 11) * 0x1p-53 < p.rate ? 1 : 0;
  if (p.problem != ProblemKind::lwe || p.noise == Noise::gaussian) return 0;
  return p.noise == Noise::binary ? static_cast<std::int64_t>(word >> 63) : binomial(word, p.eta);
}

std::vector<Rational> ErrorLaw::residues(std::int64_t q) const {
  const ProblemParameters& p = parameters_;
  std::vector<Rational> out(static_cast<std::size_t>(q));
  const auto add = [&](std::int64_t e, const Rational& share) { out[residue(e, q)] += share; };
  if (gaussian_) {
    for (std::int64_t e = -gaussian_->cut(); e <= gaussian_->cut(); ++e)
      add(e, Rational(Integer(gaussian_->probability(e)), Integer(1) << 64));
    return out;
  }
  if (p.problem == ProblemKind::lwe && p.noise == Noise::binomial) {
    for (std::int64_t e = -p.eta; e <= p.eta; ++e) add(e, binomial_share(p.eta, e));
    return out;
  }
  Rational one = 0;  // of e = 1
  if (p.problem == ProblemKind::lpn)
    one = Rational(Integer(std::ceil(p.rate * 0x1p53)), Integer(1) << 53);
  else if (p.problem == ProblemKind::lwe && p.noise == Noise::binary)
    one = Rational(1, 2);
  add(0, 1 - one);
  add(1, one);
  return out;
}

Sampler::Sampler(const ProblemParameters& parameters, std::uint64_t seed)
    : Sampler(parameters, draw_secret(validated(parameters), seed),
              Stream(Domain::samples, seed, salt(parameters, "lwe rows")),
              Stream(Domain::samples, seed, salt(parameters, "lwe errors"))) {}

Sampler::Sampler(const ProblemParameters& parameters, std::vector<Residue> secret, const Stream& rows,
                 const Stream& errors)
    : parameters_(validated(parameters)),
      secret_(std::move(secret)),
      law_(parameters),
      rows_(rows),
      errors_(errors) {}

Samples Sampler::draw(std::int64_t first, std::int64_t count) const {
  const auto n = static_cast<std::size_t>(parameters_.n);
  Samples out;
  out.n = parameters_.n;
  out.a.resize(static_cast<std::size_t>(count) * n);
  out.b.resize(static_cast<std::size_t>(count));
  const UniformRow uniform(parameters_.q);
  constexpr std::int64_t run = 64;
  parallel_for_each_index((count + run - 1) / run, [&](std::int64_t r) {
    for (std::int64_t i = r * run; i < std::min(count, (r + 1) * run); ++i) {
      const auto index = static_cast<std::uint64_t>(first + i);
      Residue* row = out.a.data() + static_cast<std::size_t>(i) * n;
      uniform.fill(rows_, index, {row, n});
      out.b[static_cast<std::size_t>(i)] =
          label(parameters_, row, secret_, law_.value(errors_.bits(0, index / 4)[index % 4]));
    }
  });
  return out;
}

}  // namespace hardhead::lwe
