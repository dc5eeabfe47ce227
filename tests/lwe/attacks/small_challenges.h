#pragma once
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lwe/attacks/attack.h"
#include "tests/lwe/recipe.h"

namespace hardhead::lwe {

/// What is wrong with the rows of a drawn challenge.
enum class Rows {
  uniform,
  zero_column,
  equal_columns,
  one_row_repeated,
  few_rows_repeated,
  seen_by_the_last
};

/// Makes the rows so.
inline void spoil(Samples& samples, Rows rows) {
  const std::int64_t n = samples.n;
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    Residue* row = samples.a.data() + i * n;
    if (rows == Rows::zero_column || (rows == Rows::seen_by_the_last && i + 1 < samples.count())) row[0] = 0;
    if (rows == Rows::equal_columns) row[n - 1] = row[0];
    if (rows == Rows::one_row_repeated) std::copy_n(samples.a.data(), n, row);
    if (rows == Rows::few_rows_repeated)
      std::copy_n(samples.a.data() + i % std::min<std::int64_t>(i + 1, n) * n, n, row);
  }
}

/// One of these.
inline Rows draw_rows() {
  return *rc::gen::element(Rows::uniform, Rows::zero_column, Rows::equal_columns, Rows::one_row_repeated,
                           Rows::few_rows_repeated, Rows::seen_by_the_last);
}

/// Labels of a secret, or of none: uniform ones.
inline void relabel(const ProblemParameters& p, std::uint64_t seed, bool of_a_secret, Samples& samples) {
  const std::vector<Residue> secret = draw_secret(p, seed);
  const ErrorLaw law(p);
  const Stream words(Domain::test, seed, "errors");
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const auto item = static_cast<std::uint64_t>(i);
    const std::int64_t labels = p.problem == ProblemKind::lwr ? p.p : p.q;
    samples.b[item] = of_a_secret
                          ? label(p, samples.row(i).data(), secret, law.value(words.bits(item, 0)[0]))
                          : static_cast<Residue>(words.below(item, static_cast<std::uint64_t>(labels)));
  }
}

/// A challenge with at most some 1000 secrets, which meet in the middle applies to: labels of a secret, or (1
/// of 4) of none; rows uniform, or such that they cannot determine the secret.
inline Challenge draw_small_challenge() {
  ProblemParameters p;
  p.problem = *rc::gen::element(ProblemKind::lwe, ProblemKind::lwr);
  p.secret = *rc::gen::element(SecretKind::uniform, SecretKind::binary, SecretKind::ternary,
                               SecretKind::fixed_weight);
  const bool uniform = p.secret == SecretKind::uniform;
  p.n = *rc::gen::inRange<std::int64_t>(1, uniform ? 3 : p.secret == SecretKind::ternary ? 6 : 9);
  if (p.secret == SecretKind::fixed_weight) p.weight = *rc::gen::inRange<std::int64_t>(1, p.n + 1);
  p.q = uniform ? *rc::gen::element<std::int64_t>(31, 32) : *rc::gen::element<std::int64_t>(97, 128, 257);
  if (p.problem == ProblemKind::lwr) p.p = uniform ? 16 : 32;
  if (p.problem == ProblemKind::lwe && *rc::gen::arbitrary<bool>()) p.noise = Noise::binary;
  if (p.problem == ProblemKind::lwe && p.noise == Noise::gaussian && !uniform)
    p.sigma = *rc::gen::element(0.0, 0.3, p.q == 257 ? 1.0 : 0.2);

  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const auto count = *rc::gen::inRange<std::int64_t>(1, 13);
  Challenge out{p, Sampler(p, seed).draw(0, count)};
  spoil(out.samples, draw_rows());
  relabel(p, seed, *rc::gen::inRange(0, 4) > 0, out.samples);
  return out;
}

/// All secrets of some parameters that verify() says fit, one by one.
struct BruteForce {
  bool any_fits = false, any_verified = false;
  double least_impostors = INFINITY;

  explicit BruteForce(const Challenge& challenge) {
    const auto alphabet = challenge.parameters.alphabet();
    std::vector<std::size_t> digit(static_cast<std::size_t>(challenge.parameters.n), 0);
    for (std::size_t j = 0; j < digit.size();) {
      std::vector<Residue> secret;
      for (const std::size_t d : digit) secret.push_back(alphabet[d]);
      if (const Verification says = verify(challenge.parameters, challenge.samples, secret); says.fits) {
        any_fits = true;
        any_verified = any_verified || says.verified();
        least_impostors = std::min(least_impostors, says.log2_impostors);
      }
      for (j = 0; j < digit.size() && ++digit[j] == alphabet.size(); ++j) digit[j] = 0;
    }
  }
};

/// A search through all secrets finds one if one fits, a verified one if there is one, and else the one that
/// the fewest impostors are expected of.
inline void assert_agrees_with_brute_force(const std::string& method, const Challenge& challenge) {
  const Attack& search = find_attack(method);
  RC_ASSERT(!search.cost(challenge.parameters, challenge.samples.count()).not_applicable.has_value());
  std::string message;
  const auto found = search.run(challenge, {}, message);
  const BruteForce truth(challenge);
  RC_ASSERT(found.has_value() == truth.any_fits);
  RC_CLASSIFY(truth.any_fits, "fits");
  RC_CLASSIFY(truth.any_verified, "verified");
  if (!found) {
    RC_ASSERT(!message.empty());
    return;
  }
  const Verification says = verify(challenge.parameters, challenge.samples, *found);
  RC_ASSERT(says.fits);
  RC_ASSERT(says.verified() == truth.any_verified);
  if (!truth.any_verified) RC_ASSERT(says.log2_impostors == truth.least_impostors);
}

}  // namespace hardhead::lwe
