#pragma once
#include <variant>
#include <vector>

#include "attention/layer/layer.h"
#include "base/run/run_context.h"
#include "hardness/challenge/challenge.h"
#include "lwe/problem/challenge.h"

namespace hardhead::challenge {

/// What a challenge hides: the secret of the problem behind the switch, or the layer of `nice`.
using Secret = std::variant<std::vector<lwe::Residue>, attention::Layer>;

/// A challenge, and what its maker alone has.
struct MadeLayerChallenge {
  LayerChallenge challenge;  ///< to be published
  Secret secret;             ///< not to be
};
/// Draws a secret, inputs and noise from the operating system's entropy (challenge.h). Throws InputError as
/// read_terms(), and unless 1 <= examples <= most_examples; Stopped.
MadeLayerChallenge make_challenge(const Spec& spec, std::int64_t examples, const RunContext& context);

/// Plain samples whose secret, rows and errors have keys of their own, drawn from the operating system's
/// entropy.
struct MadeSamples {
  Spec spec;                         ///< canonical, without seed
  lwe::Challenge challenge;          ///< to be published, as a file of lwe/files/instance_file.h
  std::vector<lwe::Residue> secret;  ///< not to be
};
/// Throws InputError for a spec with a seed, and as lwe::Recipe::parse().
MadeSamples make_samples(const Spec& spec);

}  // namespace hardhead::challenge
