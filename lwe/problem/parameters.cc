#include "lwe/problem/parameters.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/text/seed.h"
#include "lwe/problem/discrete_gaussian.h"

namespace hardhead::lwe {
namespace {

constexpr std::int64_t max_n = 4096, max_q = std::int64_t{1} << 31, max_samples = std::int64_t{1} << 28;

ModulusRows rows_with(const ProblemParameters& defaults) {
  return {.defaults = defaults, .max_n = max_n, .max_q = max_q};
}

/// A recipe's rows around those of its problem: how many samples, the secret, the seed.
OptionTable<Recipe> recipe_with(ProblemKind problem, const OptionTable<ProblemParameters>& own) {
  Recipe defaults;
  defaults.parameters.problem = problem;
  return OptionTable<Recipe>(defaults)
      .part(&Recipe::parameters, own)
      .integer("samples", &Recipe::samples, 1, static_cast<double>(max_samples), "how many samples")
      .part(&Recipe::parameters, secret_table(max_n))
      .integer("seed", &Recipe::seed, 0, seed_end, "which secret and which samples");
}

OptionTable<Recipe> lwe_table() {
  const ProblemParameters defaults{.n = 40, .q = 12289, .sigma = 3.2};
  OptionTable<ProblemParameters> noise(defaults);
  noise
      .real("sigma", &ProblemParameters::sigma, 0, DiscreteGaussian::max_sigma,
            "standard deviation of the Gaussian noise")
      .choice("noise", &ProblemParameters::noise, "gaussian, or uniform in {0, 1} (sigma=0)");
  return recipe_with(ProblemKind::lwe, modulus_table(rows_with(defaults)).append(noise));
}

OptionTable<Recipe> lpn_table() {
  return recipe_with(
      ProblemKind::lpn,
      OptionTable<ProblemParameters>({.n = 40, .rate = 0.125})
          .integer("n", &ProblemParameters::n, 1, static_cast<double>(max_n), "length of the secret")
          .real("rate", &ProblemParameters::rate, 0, 0.5, "probability of a wrong label, below 1/2"));
}

OptionTable<Recipe> lwr_table() {
  OptionTable<ProblemParameters> rounding;
  rounding.choice("rounding", &ProblemParameters::rounding,
                  "of labels: down (floor), or to the nearest level, halves up (nearest) or to even");
  return recipe_with(ProblemKind::lwr, rounding_table(rows_with({})).append(rounding));
}

[[noreturn]] void refuse(const ProblemParameters& p, const std::string& what) {
  throw InputError(fmt::format("{}: {}", to_string(p.problem), what));
}

}  // namespace

void ProblemParameters::validate() const {
  if (n < 1 || n > max_n) refuse(*this, fmt::format("n={} is not in 1 .. {}", n, max_n));
  if (q < 2 || q > max_q) refuse(*this, fmt::format("q={} is not in 2 .. {}", q, max_q));
  if (!is_prime(q) && !is_power_of_two(q))
    refuse(*this, fmt::format("q={} is neither a prime nor a power of two", q));
  if (secret == SecretKind::ternary && q < 3)
    refuse(*this, fmt::format("a ternary secret needs q at least 3, not {}", q));
  if (secret == SecretKind::fixed_weight && (weight < 1 || weight > n))
    refuse(*this, fmt::format("weight={} of a fixed-weight secret is not in 1 .. n={}", weight, n));
  if (secret != SecretKind::fixed_weight && weight != 0)
    refuse(*this, fmt::format("weight={} is for secret=fixed-weight only", weight));
  switch (problem) {
    case ProblemKind::lwe:
      if (!(sigma >= 0) || sigma > DiscreteGaussian::max_sigma)
        refuse(*this, fmt::format("sigma={} is not in 0 .. {}", sigma, DiscreteGaussian::max_sigma));
      if (sigma > 0 && sigma < DiscreteGaussian::min_sigma)
        refuse(*this,
               fmt::format("sigma={} is neither 0 nor at least {}", sigma, DiscreteGaussian::min_sigma));
      if (noise == Noise::binary && sigma != 0)
        refuse(*this, fmt::format("sigma={} is for noise=gaussian only; binary noise has none", sigma));
      break;
    case ProblemKind::lwr:
      if (p < 2 || p > q) refuse(*this, fmt::format("p={} is not in 2 .. q={}", p, q));
      break;
    case ProblemKind::lpn:
      if (q != 2) refuse(*this, fmt::format("q={} must be 2", q));
      if (!(rate >= 0 && rate < 0.5)) refuse(*this, fmt::format("rate={} is not in [0, 0.5)", rate));
      break;
  }
}

double ProblemParameters::log2_secrets() const {
  const auto length = static_cast<double>(n);
  switch (secret) {
    case SecretKind::binary:
      return length;
    case SecretKind::ternary:
      return length * std::log2(3.0);
    case SecretKind::fixed_weight: {
      const auto w = static_cast<double>(weight);
      return (std::lgamma(length + 1) - std::lgamma(w + 1) - std::lgamma(length - w + 1)) / std::log(2.0);
    }
    default:
      return length * std::log2(static_cast<double>(q));
  }
}

std::vector<Residue> ProblemParameters::alphabet() const {
  switch (secret) {
    case SecretKind::uniform: {
      std::vector<Residue> all(static_cast<std::size_t>(q));
      for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<Residue>(v);
      return all;
    }
    case SecretKind::ternary:
      return {0, 1, static_cast<Residue>(q - 1)};
    default:
      return {0, 1};
  }
}

std::string defect_of_secret(const ProblemParameters& p, std::span<const Residue> s) {
  if (static_cast<std::int64_t>(s.size()) != p.n)
    return fmt::format("the secret has {} entries, n={}", s.size(), p.n);
  std::int64_t ones = 0;
  for (std::size_t j = 0; j < s.size(); ++j) {
    const bool small = s[j] <= 1 || (p.secret == SecretKind::ternary && s[j] == p.q - 1);
    if (s[j] >= p.q || (p.secret != SecretKind::uniform && !small))
      return fmt::format("entry {} of the secret is {}, which no {} secret mod {} has", j, s[j],
                         to_string(p.secret), p.q);
    ones += s[j] == 1 ? 1 : 0;
  }
  if (p.secret == SecretKind::fixed_weight && ones != p.weight)
    return fmt::format("the secret has {} ones, weight={}", ones, p.weight);
  return {};
}

Window window(const ProblemParameters& parameters) {
  switch (parameters.problem) {
    case ProblemKind::lwe: {
      if (parameters.noise == Noise::binary) return {-1, 0};
      const std::int64_t cut = tail_cut(parameters.sigma);
      return {-cut, cut};
    }
    case ProblemKind::lwr: {
      const std::int64_t level = (parameters.q + parameters.p - 1) / parameters.p;
      const bool halves = parameters.rounding == Rounding::even && has_halves(parameters);
      return {0, halves ? level : level - 1};
    }
    default:
      return {0, 1};
  }
}

std::int64_t anchor(const ProblemParameters& parameters, Residue b) {
  if (parameters.problem != ProblemKind::lwr) return b;
  const auto level = static_cast<std::int64_t>(b);
  if (parameters.rounding == Rounding::floor) return (level * parameters.q + parameters.p - 1) / parameters.p;
  if (level == 0) return -(parameters.q / (2 * parameters.p));
  return ((2 * level - 1) * parameters.q + 2 * parameters.p - 1) / (2 * parameters.p);
}

bool has_halves(const ProblemParameters& parameters) {
  return parameters.q % 2 == 0 && parameters.p < parameters.q;
}

Residue rounded(const ProblemParameters& parameters, std::int64_t h) {
  const std::int64_t p = parameters.p, q = parameters.q;
  if (parameters.rounding == Rounding::floor) return static_cast<Residue>(h * p / q);
  const std::int64_t twice = 2 * h * p + q, level = twice / (2 * q);
  const bool down = parameters.rounding == Rounding::even && twice % (2 * q) == 0 && level % 2 == 1;
  return static_cast<Residue>((level - (down ? 1 : 0)) % p);
}

double noise_deviation(const ProblemParameters& p) {
  if (p.problem == ProblemKind::lwe && p.noise == Noise::gaussian) return p.sigma;
  const auto width = static_cast<double>(window(p).width());
  return std::sqrt((width * width - 1) / 12);
}

double secret_deviation(const ProblemParameters& p) {
  const double ones = static_cast<double>(p.weight) / static_cast<double>(p.n);
  switch (p.secret) {
    case SecretKind::binary:
      return 0.5;
    case SecretKind::ternary:
      return std::sqrt(2.0 / 3);
    case SecretKind::fixed_weight:
      return std::sqrt(ones * (1 - ones));
    default:
      return static_cast<double>(p.q) / std::sqrt(12.0);
  }
}

OptionTable<ProblemParameters> modulus_table(const ModulusRows& rows) {
  return OptionTable<ProblemParameters>(rows.defaults)
      .integer("n", &ProblemParameters::n, 1, static_cast<double>(rows.max_n), rows.n_meaning)
      .integer("q", &ProblemParameters::q, static_cast<double>(rows.min_q), static_cast<double>(rows.max_q),
               rows.q_meaning);
}

OptionTable<ProblemParameters> rounding_table(ModulusRows rows) {
  rows.defaults = {.problem = ProblemKind::lwr, .n = 8, .q = 16, .p = 2};
  return modulus_table(rows).integer("p", &ProblemParameters::p, 2, static_cast<double>(rows.max_q),
                                     "levels of the labels, at most q");
}

OptionTable<ProblemParameters> secret_table(std::int64_t max_n) {
  return OptionTable<ProblemParameters>()
      .choice("secret", &ProblemParameters::secret, "distribution of the secret")
      .integer("weight", &ProblemParameters::weight, 0, static_cast<double>(max_n),
               "ones of a fixed-weight secret, else 0");
}

const OptionTable<Recipe>& recipe_table(ProblemKind problem) {
  static const OptionTable<Recipe> lwe = lwe_table(), lpn = lpn_table(), lwr = lwr_table();
  switch (problem) {
    case ProblemKind::lwe:
      return lwe;
    case ProblemKind::lwr:
      return lwr;
    default:
      return lpn;
  }
}

Recipe Recipe::parse(const Spec& spec) {
  const OptionTable<Recipe>& table = recipe_table(value_named<ProblemKind>("problem", spec.name));
  Recipe out = table.read(spec);
  out.parameters.validate();
  out.spec = table.canonical(spec);
  return out;
}

bool is_prime(std::int64_t q) {
  if (q < 2) return false;
  for (std::int64_t f = 2; f * f <= q; ++f)
    if (q % f == 0) return false;
  return true;
}

bool is_power_of_two(std::int64_t q) {
  return q > 0 && std::has_single_bit(static_cast<std::uint64_t>(q));
}

Residue inner_product(const Residue* a, const Residue* s, std::int64_t n, std::int64_t q) {
  const auto modulus = static_cast<std::uint64_t>(q);
  std::uint64_t sum = 0;
  if (q <= std::int64_t{1} << 24) {  // 4096 products below 2^48: one reduction does
    for (std::int64_t j = 0; j < n; ++j) sum += std::uint64_t{a[j]} * s[j];
  } else {
    for (std::int64_t j = 0; j < n; ++j) sum += std::uint64_t{a[j]} * s[j] % modulus;
  }
  return static_cast<Residue>(sum % modulus);
}

}  // namespace hardhead::lwe
