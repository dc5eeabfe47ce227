#pragma once
#include <optional>
#include <string>
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

/// What is to be published.
struct PublishOptions {
  std::string spec;                        ///< without a seed: of a layer, or with samples=N plain samples
  std::optional<std::int64_t> examples{};  ///< training examples of a layer
  std::string file;                        ///< .safetensors for a layer, .json for samples
  std::string keep{};  ///< file of the secret, an answer that is right; empty: it is kept nowhere
};

/// What was published.
struct Published {
  std::string file;           ///< as above
  std::string spec;           ///< canonical
  std::int64_t examples = 0;  ///< training examples, or samples
  std::string keep;           ///< as above
};
/// As `challenge make --json` has it.
template <class Visit>
void describe(Visit& visit, const Published*) {
  visit("file", &Published::file);
  visit("spec", &Published::spec);
  visit("examples", &Published::examples);
  visit.if_any("secret", &Published::keep);
}

/// Makes a challenge and writes it and, if asked, its secret: both files or neither. Throws InputError as
/// above, for a layer without and samples with a number of examples, for names that do not
/// end as their format, and where a file cannot be written; Stopped.
Published publish(const PublishOptions& options, const RunContext& context);

/// Throws InputError unless the name of the file ends in one of these.
void check_ending(const std::string& file, std::initializer_list<const char*> endings);

}  // namespace hardhead::challenge
