#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text/option_table.h"

namespace hardhead::lwe {

/// An element of Z_q, 0 .. q-1.
using Residue = std::uint32_t;
/// A secret that a search found, or none.
using Candidate = std::optional<std::vector<Residue>>;

/// Learning with errors, with rounding, and parity with noise.
enum class ProblemKind { lwe, lwr, lpn };
/// The law of e of an `lwe` problem.
enum class Noise { gaussian, binary, binomial };
/// The law of s, as in the table below.
enum class SecretKind { uniform, binary, ternary, fixed_weight, sparse_ternary, binomial, gaussian };
/// How an `lwr` label is rounded: down, or to the nearest level, halves up or to even.
enum class Rounding { floor, nearest, even };

constexpr auto enum_names(ProblemKind) {
  using enum ProblemKind;
  return std::to_array<EnumName<ProblemKind>>({{lwe, "lwe"}, {lwr, "lwr"}, {lpn, "lpn"}});
}
constexpr auto enum_names(Noise) {
  return std::to_array<EnumName<Noise>>(
      {{Noise::gaussian, "gaussian"}, {Noise::binary, "binary"}, {Noise::binomial, "binomial"}});
}
constexpr auto enum_names(Rounding) {
  return std::to_array<EnumName<Rounding>>(
      {{Rounding::floor, "floor"}, {Rounding::nearest, "nearest"}, {Rounding::even, "even"}});
}
constexpr auto enum_names(SecretKind) {
  using enum SecretKind;
  return std::to_array<EnumName<SecretKind>>({{uniform, "uniform"},
                                              {binary, "binary"},
                                              {ternary, "ternary"},
                                              {fixed_weight, "fixed-weight"},
                                              {sparse_ternary, "sparse-ternary"},
                                              {binomial, "binomial"},
                                              {gaussian, "gaussian"}});
}

/// A distribution of samples (a, b), a uniform in Z_q^n, for a secret s in Z_q^n:
///
///     lwe   b = <a, s> + e mod q      e discrete Gaussian of standard deviation sigma, uniform in {0, 1}, or
///                                     centred binomial: the ones of eta bits minus those of eta others
///     lwr   b = floor(p h / q)        h = <a, s> mod q in 0 .. q-1, 2 <= p <= q: rounding instead of noise;
///                                     rounding=nearest: floor(p h / q + 1/2) mod p; rounding=even: the
///                                     same, halves to the even level (round() of Python and numpy)
///     lpn   b = <a, s> + e mod 2      e = 1 with probability rate
///
///     secret          entries                                          how many secrets
///     uniform         uniform in Z_q                                   q^n
///     binary          uniform in {0, 1}                                2^n
///     ternary         uniform in {-1, 0, 1}                            3^n      (q >= 3)
///     fixed_weight    `weight` ones, uniform places                    C(n, weight)
///     sparse_ternary  `weight` of -1 or 1, uniform places and signs    C(n, weight) 2^weight
///     binomial        centred binomial of secret_eta, L = secret_eta   (2L + 1)^n
///     gaussian        discrete Gaussian of deviation secret_sigma,     (2L + 1)^n
///                     L = tail_cut(secret_sigma)
///
/// Entries have as many values mod q: 2L + 1 <= q. q is any integer in 2 .. 2^32 (lwr: 2^31).
struct ProblemParameters {
  ProblemKind problem = ProblemKind::lwe;   ///< which of the three
  std::int64_t n = 0;                       ///< entries of the secret
  std::int64_t q = 2;                       ///< modulus
  SecretKind secret = SecretKind::uniform;  ///< law of s
  std::int64_t weight = 0;                  ///< fixed_weight and sparse_ternary only
  std::int64_t secret_eta = 0;              ///< secret=binomial only
  double secret_sigma = 0;                  ///< secret=gaussian only
  Noise noise = Noise::gaussian;            ///< lwe only: law of e
  double sigma = 0;                         ///< lwe with Gaussian noise; 0: none
  std::int64_t eta = 0;                     ///< lwe with binomial noise
  std::int64_t p = 2;                       ///< lwr
  Rounding rounding = Rounding::floor;      ///< lwr
  double rate = 0;                          ///< lpn

  /// Throws InputError naming value and constraint.
  void validate() const;

  /// log2 of the number of secrets.
  double log2_secrets() const;
  /// How many values an entry of the secret can take.
  std::int64_t entry_values() const;
  /// The values an entry of the secret can take, as residues: 0 .. q-1, {0, 1}, or {0, .., L, q-L, .., q-1}.
  std::vector<Residue> alphabet() const;
  /// Labels are below this.
  std::int64_t labels() const { return problem == ProblemKind::lwr ? p : q; }
  /// Whether the number of entries that are not 0 is given.
  bool has_fixed_weight() const {
    return secret == SecretKind::fixed_weight || secret == SecretKind::sparse_ternary;
  }

  bool operator==(const ProblemParameters&) const = default;
};

/// Why `secret` is none of these parameters: the entry or the number that is wrong. Empty if it is one.
std::string defect_of_secret(const ProblemParameters& parameters, std::span<const Residue> secret);

/// What one sample says of h = <a, s> mod q whatever the noise: h - anchor(b) mod q lies in [low, high].
///
///     lwe   anchor b              [-T, T], T the Gaussian's tail cut, or eta; [-1, 0] for binary noise
///     lwr   anchor ceil(b q / p)  [0, ceil(q/p) - 1]; rounding=nearest and even:
///                                 anchor ceil((b - 1/2) q / p); even: one more where there are halves
///     lpn   nothing: [0, 1]
struct Window {
  std::int64_t low = 0, high = 0;  ///< both included
  /// Residues in it.
  std::int64_t width() const { return high - low + 1; }
};
/// The window of these parameters.
Window window(const ProblemParameters& parameters);
/// anchor(b), as in the table above.
std::int64_t anchor(const ProblemParameters& parameters, Residue b);
/// Whether p h / q may lie halfway between two levels.
bool has_halves(const ProblemParameters& parameters);
/// The `lwr` label of h in 0 .. q-1.
Residue rounded(const ProblemParameters& parameters, std::int64_t h);

/// Standard deviation of e: sigma, 1/2 for binary noise, sqrt(eta/2) for binomial noise, for `lwr` that of
/// the uniform law on the window.
double noise_deviation(const ProblemParameters& parameters);
/// Standard deviation of an entry of the secret, as an integer in -q/2 .. q/2.
double secret_deviation(const ProblemParameters& parameters);
/// What these parameters say of the secret, as a spec has it: "secret=binomial,secret_eta=3"; empty for a
/// uniform one.
std::string secret_in_spec(const ProblemParameters& parameters);
/// What those of an `lwe` problem say of the noise, as a spec has it: "sigma=3.2", "noise=binary",
/// "noise=binomial,eta=2".
std::string noise_in_spec(const ProblemParameters& parameters);

/// The rows `n` and `q` of a table, with the defaults of `defaults` and these ranges.
struct ModulusRows {
  ProblemParameters defaults;                      ///< n and q of it are the rows' defaults
  std::int64_t max_n = 4096;                       ///< n is in 1 .. max_n
  std::int64_t min_q = 2, max_q = 1LL << 32;       ///< q is in min_q .. max_q
  std::string n_meaning = "length of the secret";  ///< of n, for help
  std::string q_meaning = "modulus";               ///< of q, for help
};
/// The two rows.
OptionTable<ProblemParameters> modulus_table(const ModulusRows& rows);

/// The rows `n`, `q` and `p` of learning with rounding, for samples here and for the families of hardness/
/// alike. The defaults are n = 8, q = 16, p = 2; those of `rows` are not used.
OptionTable<ProblemParameters> rounding_table(ModulusRows rows);

/// The rows `secret` and `weight`, a weight of at most max_n, of the secrets that layers hide: uniform,
/// binary, ternary and fixed_weight.
OptionTable<ProblemParameters> secret_table(std::int64_t max_n);

/// Parameters with a number of samples and a seed:
/// `lwe:n=40,q=12289,sigma=3.2,samples=80,secret=uniform,seed=1`, in the names of foreign_names.h as well.
/// Where `noise` is not Gaussian, sigma is 0 unless it is given.
struct Recipe {
  ProblemParameters parameters;  ///< of the samples
  std::int64_t samples = 80;     ///< how many
  std::uint64_t seed = 1;        ///< of the secret and the samples
  Spec spec;                     ///< canonical

  /// Throws InputError: a problem that is not lwe, lwr or lpn, whatever its table or validate() refuse.
  static Recipe parse(const Spec& spec);
};

/// The table of a problem's recipes.
const OptionTable<Recipe>& recipe_table(ProblemKind problem);

/// By trial division.
bool is_prime(std::int64_t q);
/// 1, 2, 4, ..
bool is_power_of_two(std::int64_t q);
/// l of q = 2^l.
inline int log2_modulus(const ProblemParameters& parameters) {
  return std::countr_zero(static_cast<std::uint64_t>(parameters.q));
}

/// x mod q, of any sign.
inline Residue residue(std::int64_t x, std::int64_t q) {
  return static_cast<Residue>((x % q + q) % q);
}
/// <a, s> mod q, of as many entries as `a` has.
Residue inner_product(std::span<const Residue> a, std::span<const Residue> s, std::int64_t q);

}  // namespace hardhead::lwe
