#include "lwe/problem/parameters.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text/seed.h"
#include "lwe/problem/discrete_gaussian.h"
#include "lwe/problem/foreign_names.h"

namespace hardhead::lwe {
namespace {

constexpr std::int64_t max_eta = 32;  // two words of as many bits are one of 64
constexpr std::int64_t max_n = 4096, max_q = std::int64_t{1} << 32, max_samples = std::int64_t{1} << 28;
constexpr std::int64_t max_rounded_q = std::int64_t{1} << 31;  // 2 q p and q are integers of 64 bits

/// Those of all secrets.
OptionTable<ProblemParameters> any_secret_table() {
  return OptionTable<ProblemParameters>()
      .choice("secret", &ProblemParameters::secret, "distribution of the secret")
      .integer("weight", &ProblemParameters::weight, 0, static_cast<double>(max_n),
               "entries other than 0 of a fixed-weight or sparse-ternary secret, else 0")
      .integer("secret_eta", &ProblemParameters::secret_eta, 0, static_cast<double>(max_eta),
               "of a binomial secret, else 0")
      .real("secret_sigma", &ProblemParameters::secret_sigma, 0, DiscreteGaussian::max_sigma,
            "standard deviation of a Gaussian secret, else 0");
}

/// A recipe's rows around those of its problem: how many samples, the secret, the seed.
OptionTable<Recipe> recipe_with(ProblemKind problem, const OptionTable<ProblemParameters>& own) {
  Recipe defaults;
  defaults.parameters.problem = problem;
  return OptionTable<Recipe>(defaults)
      .part(&Recipe::parameters, own)
      .integer("samples", &Recipe::samples, 1, static_cast<double>(max_samples), "how many samples")
      .part(&Recipe::parameters, any_secret_table())
      .integer("seed", &Recipe::seed, 0, seed_end, "which secret and which samples");
}

OptionTable<Recipe> lwe_table() {
  const ProblemParameters defaults{.n = 40, .q = 12289, .sigma = 3.2};
  OptionTable<ProblemParameters> noise(defaults);
  noise
      .real("sigma", &ProblemParameters::sigma, 0, DiscreteGaussian::max_sigma,
            "standard deviation of the Gaussian noise")
      .choice("noise", &ProblemParameters::noise,
              "gaussian, uniform in {0, 1} (binary), or centred binomial; sigma=0 for these two")
      .integer("eta", &ProblemParameters::eta, 0, static_cast<double>(max_eta), "of binomial noise, else 0");
  return recipe_with(ProblemKind::lwe, modulus_table({.defaults = defaults}).append(noise));
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
  return recipe_with(ProblemKind::lwr,
                     rounding_table({.defaults = {}, .max_q = max_rounded_q}).append(rounding));
}

[[noreturn]] void refuse(const ProblemParameters& p, const std::string& what) {
  throw InputError(fmt::format("{}: {}", name_of(p.problem), what));
}

/// The largest entry of a secret around 0; empty for a uniform secret and for those of zeros and ones.
std::optional<std::int64_t> largest_entry(const ProblemParameters& p) {
  switch (p.secret) {
    case SecretKind::ternary:
    case SecretKind::sparse_ternary:
      return 1;
    case SecretKind::binomial:
      return p.secret_eta;
    case SecretKind::gaussian:
      return tail_cut(p.secret_sigma);
    default:
      return std::nullopt;
  }
}

void check_sigma(const ProblemParameters& p, const char* key, double sigma) {
  if (!(sigma >= 0) || sigma > DiscreteGaussian::max_sigma)
    refuse(p, fmt::format("{}={} is not in 0 .. {}", key, sigma, DiscreteGaussian::max_sigma));
  if (sigma > 0 && sigma < DiscreteGaussian::min_sigma)
    refuse(p, fmt::format("{}={} is neither 0 nor at least {}", key, sigma, DiscreteGaussian::min_sigma));
}

/// A number that belongs to one law is there with that law, and with no other.
void check_belongs(const ProblemParameters& p, const char* key, double value, const std::string& law,
                   bool belongs) {
  if (belongs && !(value > 0)) refuse(p, fmt::format("{} needs {}, which is 0", law, key));
  if (!belongs && value != 0) refuse(p, fmt::format("{}={} is for {} only", key, value, law));
}

void check_secret(const ProblemParameters& p) {
  if (p.has_fixed_weight() && (p.weight < 1 || p.weight > p.n))
    refuse(p, fmt::format("weight={} of a {} secret is not in 1 .. n={}", p.weight, name_of(p.secret), p.n));
  if (!p.has_fixed_weight() && p.weight != 0)
    refuse(p, fmt::format("weight={} is for secret=fixed-weight and secret=sparse-ternary only", p.weight));
  check_belongs(p, "secret_eta", static_cast<double>(p.secret_eta), "secret=binomial",
                p.secret == SecretKind::binomial);
  check_belongs(p, "secret_sigma", p.secret_sigma, "secret=gaussian", p.secret == SecretKind::gaussian);
  if (p.secret_eta < 0 || p.secret_eta > max_eta)
    refuse(p, fmt::format("secret_eta={} is not in 0 .. {}", p.secret_eta, max_eta));
  check_sigma(p, "secret_sigma", p.secret_sigma);
  if (const auto largest = largest_entry(p); largest && 2 * *largest + 1 > p.q)
    refuse(p,
           fmt::format("a {} secret needs q at least {}, not {}", name_of(p.secret), 2 * *largest + 1, p.q));
}

void check_noise(const ProblemParameters& p) {
  check_sigma(p, "sigma", p.sigma);
  if (p.noise != Noise::gaussian && p.sigma != 0)
    refuse(p,
           fmt::format("sigma={} is for noise=gaussian only; {} noise has none", p.sigma, name_of(p.noise)));
  check_belongs(p, "eta", static_cast<double>(p.eta), "noise=binomial", p.noise == Noise::binomial);
  if (p.eta < 0 || p.eta > max_eta) refuse(p, fmt::format("eta={} is not in 0 .. {}", p.eta, max_eta));
}

}  // namespace

void ProblemParameters::validate() const {
  if (n < 1 || n > max_n) refuse(*this, fmt::format("n={} is not in 1 .. {}", n, max_n));
  if (q < 2 || q > max_q) refuse(*this, fmt::format("q={} is not in 2 .. {}", q, max_q));
  check_secret(*this);
  switch (problem) {
    case ProblemKind::lwe:
      check_noise(*this);
      break;
    case ProblemKind::lwr:
      if (q > max_rounded_q) refuse(*this, fmt::format("q={} is not in 2 .. {}", q, max_rounded_q));
      if (p < 2 || p > q) refuse(*this, fmt::format("p={} is not in 2 .. q={}", p, q));
      break;
    case ProblemKind::lpn:
      if (q != 2) refuse(*this, fmt::format("q={} must be 2", q));
      if (!(rate >= 0 && rate < 0.5)) refuse(*this, fmt::format("rate={} is not in [0, 0.5)", rate));
      break;
  }
}

double ProblemParameters::log2_secrets() const {
  const auto length = static_cast<double>(n), w = static_cast<double>(weight);
  if (!has_fixed_weight()) return length * std::log2(static_cast<double>(entry_values()));
  const double places =
      (std::lgamma(length + 1) - std::lgamma(w + 1) - std::lgamma(length - w + 1)) / std::log(2.0);
  return places + (secret == SecretKind::sparse_ternary ? w : 0);
}

std::int64_t ProblemParameters::entry_values() const {
  if (const auto largest = largest_entry(*this)) return 2 * *largest + 1;
  return secret == SecretKind::uniform ? q : 2;
}

std::vector<Residue> ProblemParameters::alphabet() const {
  const std::int64_t values = entry_values(), first = values - largest_entry(*this).value_or(0);
  std::vector<Residue> all(static_cast<std::size_t>(values));
  for (std::int64_t v = 0; v < values; ++v)
    all[static_cast<std::size_t>(v)] = static_cast<Residue>(v < first ? v : q - values + v);
  return all;
}

std::string defect_of_secret(const ProblemParameters& p, std::span<const Residue> s) {
  if (static_cast<std::int64_t>(s.size()) != p.n)
    return fmt::format("the secret has {} entries, n={}", s.size(), p.n);
  std::int64_t others = 0;
  const std::int64_t values = p.entry_values(), largest = largest_entry(p).value_or(0);
  for (std::size_t j = 0; j < s.size(); ++j) {
    const std::int64_t entry = s[j];
    if (entry >= p.q || (entry >= values - largest && entry < p.q - largest))
      return fmt::format("entry {} of the secret is {}, which no {} secret mod {} has", j, s[j],
                         name_of(p.secret), p.q);
    others += entry != 0 ? 1 : 0;
  }
  if (p.has_fixed_weight() && others != p.weight)
    return fmt::format("the secret has {} {}, weight={}", others,
                       p.secret == SecretKind::fixed_weight ? "ones" : "entries other than 0", p.weight);
  return {};
}

Window window(const ProblemParameters& parameters) {
  switch (parameters.problem) {
    case ProblemKind::lwe: {
      if (parameters.noise == Noise::binary) return {-1, 0};
      const std::int64_t cut =
          parameters.noise == Noise::binomial ? parameters.eta : tail_cut(parameters.sigma);
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
  if (p.problem == ProblemKind::lwe && p.noise == Noise::binomial)
    return std::sqrt(static_cast<double>(p.eta) / 2);
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
    case SecretKind::sparse_ternary:
      return std::sqrt(ones);
    case SecretKind::binomial:
      return std::sqrt(static_cast<double>(p.secret_eta) / 2);
    case SecretKind::gaussian:
      return p.secret_sigma;
    default:
      return static_cast<double>(p.q) / std::sqrt(12.0);
  }
}

std::string secret_in_spec(const ProblemParameters& p) {
  if (p.secret == SecretKind::uniform) return {};
  std::string out = fmt::format("secret={}", name_of(p.secret));
  if (p.has_fixed_weight()) out += fmt::format(",weight={}", p.weight);
  if (p.secret == SecretKind::binomial) out += fmt::format(",secret_eta={}", p.secret_eta);
  if (p.secret == SecretKind::gaussian) out += fmt::format(",secret_sigma={}", p.secret_sigma);
  return out;
}

std::string noise_in_spec(const ProblemParameters& p) {
  if (p.noise == Noise::gaussian) return fmt::format("sigma={}", p.sigma);
  return fmt::format("noise={}{}", name_of(p.noise),
                     p.noise == Noise::binomial ? fmt::format(",eta={}", p.eta) : "");
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
  using enum SecretKind;
  return OptionTable<ProblemParameters>()
      .choice("secret", &ProblemParameters::secret, "distribution of the secret",
              {uniform, binary, ternary, fixed_weight})
      .integer("weight", &ProblemParameters::weight, 0, static_cast<double>(max_n),
               "ones of a fixed-weight secret, else 0");
}

const OptionTable<Recipe>& recipe_table(ProblemKind problem) {
  static const OptionTable<Recipe> lwe = lwe_table(), lpn = lpn_table(), lwr = lwr_table();
  return problem == ProblemKind::lwe ? lwe : problem == ProblemKind::lwr ? lwr : lpn;
}

Recipe Recipe::parse(const Spec& given) {
  const auto problem = value_named<ProblemKind>("problem", given.name);
  const OptionTable<Recipe>& table = recipe_table(problem);
  Spec own = in_our_names(problem, given);
  const std::string* const noise = own.value("noise");
  if (problem == ProblemKind::lwe && noise != nullptr && *noise != name_of(Noise::gaussian) &&
      own.value("sigma") == nullptr)
    own.values.emplace_back("sigma", "0");
  Recipe out = table.read(own);
  out.parameters.validate();
  out.spec = table.canonical(own);
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

Residue inner_product(std::span<const Residue> a, std::span<const Residue> s, std::int64_t q) {
  const auto modulus = static_cast<std::uint64_t>(q);
  std::uint64_t sum = 0;
  if (q <= std::int64_t{1} << 24) {  // 4096 products below 2^48: one reduction does
    for (std::size_t j = 0; j < a.size(); ++j) sum += std::uint64_t{a[j]} * s[j];
  } else {
    for (std::size_t j = 0; j < a.size(); ++j) sum += std::uint64_t{a[j]} * s[j] % modulus;
  }
  return static_cast<Residue>(sum % modulus);
}

}  // namespace hardhead::lwe
