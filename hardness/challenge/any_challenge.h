#pragma once
#include <optional>
#include <string>

#include "hardness/challenge/answer.h"
#include "hardness/challenge/challenge.h"
#include "lwe/attacks/attack.h"
#include "lwe/problem/challenge.h"

namespace hardhead::challenge {

/// A challenge of either kind, as a file has it: a hidden layer (challenge_file.h), or samples of LWE, LWR or
/// LPN (lwe/files/instance_file.h). Exactly one of the two is set.
struct AnyChallenge {
  std::optional<LayerChallenge> layer;    ///< by its examples
  std::optional<lwe::Challenge> samples;  ///< all that there is to see of a secret

  /// Opens a layer by its ending .safetensors, and of other names samples. Throws InputError naming it.
  static AnyChallenge open(const std::string& path);
  /// As open(), but empty for a file that is no challenge.
  static std::optional<AnyChallenge> open_if_one(const std::string& path);

  /// What it is, without a seed.
  std::string spec() const;
  /// Training examples, or samples.
  std::int64_t examples() const;
  /// log2 of the number of secrets; none for `nice`.
  std::optional<double> log2_secrets() const;
  /// The attack by which the secret is predicted to be found most cheaply, from all examples that tell of it;
  /// none for `nice`.
  std::optional<lwe::CheapestAttack> best_attack() const;
  /// Whether the answer in a file is right. Samples take a solution as `lwe attack -o` writes it, and
  /// lwe/problem/verification.h decides. Throws InputError for a file that is no answer.
  Verdict check(const std::string& answer) const;
};

}  // namespace hardhead::challenge
