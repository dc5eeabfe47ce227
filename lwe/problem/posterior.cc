#include "lwe/problem/posterior.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/error.h"

namespace hardhead::lwe {
namespace {

constexpr std::int64_t max_posterior_secrets = 1 << 24, max_set_bits = 32;

/// All words of n bits with `weight` ones, ascending.
std::vector<std::uint32_t> words_of_weight(std::int64_t n, std::int64_t weight) {
  std::vector<std::uint32_t> out;
  const std::uint64_t end = std::uint64_t{1} << n;
  for (std::uint64_t word = (std::uint64_t{1} << weight) - 1; word < end;) {
    out.push_back(static_cast<std::uint32_t>(word));
    const std::uint64_t low = word & (~word + 1), carried = word + low;  // Gosper's next word of as many ones
    word = carried | ((word ^ carried) / low >> 2);
  }
  return out;
}

void check(const ProblemParameters& p) {
  p.validate();
  if (p.problem == ProblemKind::lwe)
    throw InputError(
        "a posterior is kept over secrets of problems lwr and lpn, not over those of problem lwe");
  if (p.secret == SecretKind::sparse_ternary || p.secret == SecretKind::binomial ||
      p.secret == SecretKind::gaussian)
    throw InputError(
        fmt::format("a posterior is kept over the secrets of layers, not over {} ones", name_of(p.secret)));
  if (p.log2_secrets() > std::log2(max_posterior_secrets) + 1e-9)
    throw InputError(
        fmt::format("a posterior over 2^{:.1f} secrets: at most 2^24 are kept", p.log2_secrets()));
  if (p.secret == SecretKind::fixed_weight && p.n > max_set_bits)
    throw InputError(
        fmt::format("a posterior over secrets of fixed weight: n={} is more than {}", p.n, max_set_bits));
}

}  // namespace

Posterior::Posterior(const ProblemParameters& parameters) : parameters_(parameters) {
  check(parameters);
  rate_ = parameters.problem == ProblemKind::lpn ? ErrorLaw(parameters).residues(2)[1] : Rational(0);
  std::int64_t count = 1;
  if (parameters.secret == SecretKind::fixed_weight) {
    sets_ = words_of_weight(parameters.n, parameters.weight);
    count = std::ssize(sets_);
  } else {
    alphabet_ = parameters.alphabet();
    for (std::int64_t j = 0; j < parameters.n; ++j) count *= std::ssize(alphabet_);
  }
  left_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) left_.push_back({static_cast<std::uint32_t>(i), 0});
}

void Posterior::write(std::uint32_t number, std::span<Residue> secret) const {
  if (!sets_.empty()) {
    for (std::size_t j = 0; j < secret.size(); ++j) secret[j] = sets_[number] >> j & 1;
    return;
  }
  const auto letters = static_cast<std::uint32_t>(alphabet_.size());
  for (Residue& entry : secret) {
    entry = alphabet_[number % letters];
    number /= letters;
  }
}

void Posterior::see(std::span<const Residue> a, Residue b) {
  std::vector<Residue> secret(static_cast<std::size_t>(parameters_.n));
  const auto wrong = [&](const Candidate& candidate) {
    write(candidate.number, secret);
    const std::int64_t h = inner_product(a, secret, parameters_.q);
    return (parameters_.problem == ProblemKind::lwr ? rounded(parameters_, h) : h) != b;
  };
  if (rate_ == 0)
    std::erase_if(left_, wrong);
  else
    for (Candidate& candidate : left_) candidate.wrong += wrong(candidate) ? 1 : 0;
}

/// Weights are taken relative to that of no wrong label, (rate / (1 - rate))^wrong.
Rational Posterior::probability_with(std::uint32_t wrong) const {
  if (rate_ == 0) return Rational(1, std::ssize(left_));
  std::map<std::uint32_t, std::int64_t> counts;
  for (const Candidate& candidate : left_) ++counts[candidate.wrong];
  const Rational odds = rate_ / (1 - rate_);
  Rational total = 0;
  for (const auto& [number, count] : counts) total += count * power(odds, static_cast<long>(number));
  return power(odds, static_cast<long>(wrong)) / total;
}

Rational Posterior::probability(const std::vector<Residue>& secret) const {
  std::vector<Residue> entries(static_cast<std::size_t>(parameters_.n));
  for (const Candidate& candidate : left_) {
    write(candidate.number, entries);
    if (entries == secret) return probability_with(candidate.wrong);
  }
  return 0;
}

std::optional<std::int64_t> samples_to_determine(const ProblemParameters& parameters, std::uint64_t seed,
                                                 std::int64_t most, const StopToken& stop) {
  const Sampler sampler(parameters, seed);
  Posterior posterior(parameters);
  const Samples samples = sampler.draw(0, most);
  for (std::int64_t i = 0; i <= most; ++i) {
    stop.check();
    if (posterior.probability(sampler.secret()) >= Rational(1, 2)) return i;
    if (i < most) posterior.see(samples.row(i), samples.label(i));
  }
  return std::nullopt;
}

}  // namespace hardhead::lwe
