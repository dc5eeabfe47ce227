#include "lwe/parameters.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.h"
#include "lwe/discrete_gaussian.h"

namespace hardhead::lwe {
namespace {

constexpr std::int64_t max_n = 4096, max_q = std::int64_t{1} << 31, max_samples = std::int64_t{1} << 28;

const std::vector<std::string> problem_names = {"lwe", "lwr", "lpn"};
const std::vector<std::string> noise_names = {"gaussian", "binary"};

std::vector<Parameter> table_with(std::vector<Parameter> own) {
  std::vector<Parameter> all = {
      Parameter::integer("n", 40, 1, static_cast<double>(max_n), "length of the secret")};
  for (Parameter& p : own) all.push_back(std::move(p));
  all.push_back(Parameter::integer("samples", 80, 1, static_cast<double>(max_samples), "how many samples"));
  all.push_back(Parameter::choice("secret", secret_kind_names(), "distribution of the secret"));
  all.push_back(Parameter::integer("weight", 0, 0, static_cast<double>(max_n),
                                   "ones of a fixed-weight secret, else 0"));
  all.push_back(Parameter::integer("seed", 1, 0, 9e15, "which secret and which samples"));
  return all;
}

Parameter modulus(std::int64_t fallback) {
  return Parameter::integer("q", fallback, 2, static_cast<double>(max_q),
                            "modulus: a prime or a power of two");
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
    case Problem::lwe:
      if (!(sigma >= 0) || sigma > DiscreteGaussian::max_sigma)
        refuse(*this, fmt::format("sigma={} is not in 0 .. {}", sigma, DiscreteGaussian::max_sigma));
      if (sigma > 0 && sigma < DiscreteGaussian::min_sigma)
        refuse(*this,
               fmt::format("sigma={} is neither 0 nor at least {}", sigma, DiscreteGaussian::min_sigma));
      if (noise == Noise::binary && sigma != 0)
        refuse(*this, fmt::format("sigma={} is for noise=gaussian only; binary noise has none", sigma));
      break;
    case Problem::lwr:
      if (p < 2 || p > q) refuse(*this, fmt::format("p={} is not in 2 .. q={}", p, q));
      break;
    case Problem::lpn:
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

Window window(const ProblemParameters& parameters) {
  switch (parameters.problem) {
    case Problem::lwe: {
      if (parameters.noise == Noise::binary) return {-1, 0};
      const std::int64_t cut = tail_cut(parameters.sigma);
      return {-cut, cut};
    }
    case Problem::lwr:
      return {0, (parameters.q + parameters.p - 1) / parameters.p - 1};
    default:
      return {0, 1};
  }
}

std::int64_t anchor(const ProblemParameters& parameters, Residue b) {
  if (parameters.problem != Problem::lwr) return b;
  return (static_cast<std::int64_t>(b) * parameters.q + parameters.p - 1) / parameters.p;
}

const std::vector<Parameter>& problem_table(const std::string& name) {
  static const std::vector<Parameter>
      lwe = table_with({modulus(12289),
                        Parameter::real("sigma", 3.2, 0, DiscreteGaussian::max_sigma,
                                        "standard deviation of the Gaussian noise"),
                        Parameter::choice("noise", noise_names, "gaussian, or uniform in {0, 1} (sigma=0)")}),
      lwr = table_with({modulus(16), Parameter::integer("p", 2, 2, static_cast<double>(max_q),
                                                        "levels a sample is rounded to")}),
      lpn = table_with({Parameter::real("rate", 0.125, 0, 0.5, "probability of a wrong label, below 1/2")});
  switch (parse_problem(name)) {
    case Problem::lwe:
      return lwe;
    case Problem::lwr:
      return lwr;
    default:
      return lpn;
  }
}

Recipe Recipe::parse(const Spec& spec) {
  const Parameters values(spec, problem_table(spec.name));
  Recipe out;
  ProblemParameters& p = out.parameters;
  p.problem = parse_problem(spec.name);
  p.n = values.integer("n");
  p.secret = parse_secret_kind(values.choice("secret"));
  p.weight = values.integer("weight");
  if (p.problem != Problem::lpn) p.q = values.integer("q");
  if (p.problem == Problem::lwe) {
    p.sigma = values.real("sigma");
    p.noise = parse_noise(values.choice("noise"));
  }
  if (p.problem == Problem::lwr) p.p = values.integer("p");
  if (p.problem == Problem::lpn) p.rate = values.real("rate");
  p.validate();
  out.samples = values.integer("samples");
  out.seed = static_cast<std::uint64_t>(values.integer("seed"));
  out.spec = values.canonical();
  return out;
}

std::string to_string(Problem problem) {
  return problem_names[static_cast<std::size_t>(problem)];
}
std::string to_string(SecretKind kind) {
  return secret_kind_names()[static_cast<std::size_t>(kind)];
}
std::string to_string(Noise noise) {
  return noise_names[static_cast<std::size_t>(noise)];
}

Problem parse_problem(const std::string& name) {
  return static_cast<Problem>(find_name("problem", name, problem_names));
}
SecretKind parse_secret_kind(const std::string& name) {
  return static_cast<SecretKind>(find_name("secret", name, secret_kind_names()));
}
Noise parse_noise(const std::string& name) {
  return static_cast<Noise>(find_name("noise", name, noise_names));
}

const std::vector<std::string>& secret_kind_names() {
  static const std::vector<std::string> names = {"uniform", "binary", "ternary", "fixed-weight"};
  return names;
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
