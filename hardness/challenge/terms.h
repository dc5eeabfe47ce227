#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attention/forward/block.h"
#include "base/text/spec.h"
#include "hardness/families/family.h"
#include "hardness/families/nice_layer.h"
#include "lwe/problem/challenge.h"

namespace hardhead::challenge {

using hardness::SamplesBehindSwitch;

/// What is public of a challenge before anything is drawn: a spec of a family without its seed.
struct Terms {
  Spec spec;                                              ///< canonical, without seed
  attention::Index d = 0, k = 0;                          ///< features, tokens
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X
  std::optional<SamplesBehindSwitch> behind_switch;       ///< Family::samples; else
  std::optional<hardness::NiceOptions> nice;              ///< Family::random_layer; its seed has no meaning

  /// Numbers of a label, k d.
  std::int64_t entries() const { return k * d; }
  /// log2 of the number of secrets; none for `nice`, whose secret is a list of reals.
  std::optional<double> log2_secrets() const;
};

/// Throws InputError for a spec that has a seed: a secret comes from the operating system's entropy.
void refuse_seed(const Spec& spec);
/// A canonical spec, but for its seed.
Spec without_seed(Spec canonical);

/// The terms of a spec. Throws InputError: a spec with a seed, a family without samples or a random layer,
/// labels that are shifted, nice layers whose labels have no six digits to compare (w_norm outside of 0.01 ..
/// 100, or more than 3072 numbers a label), and what the family refuses.
Terms read_terms(const Spec& given);

/// The rows a of the examples of a block of tokens that have the switch on, in their order. Labels of the
/// block count for nothing.
lwe::Samples rows_behind_switch(const SamplesBehindSwitch& terms, attention::Block& block);

/// Writes the labels of a block whose examples with the switch on have these g, in their order.
void write_labels(const SamplesBehindSwitch& terms, std::span<const lwe::Residue> g, attention::Block& block);

/// What a predicted block of labels says.
struct ReadLabels {
  std::vector<lwe::Residue> g;  ///< of the examples with the switch on: the nearest
  std::int64_t defects = 0;     ///< entries farther from the label of that g than a quarter of `step`
  std::string first_defect;     ///< "y[3,0,0] is 0.1, and a label there is -2 or 2"; empty for none
};
/// The g whose labels the y of a block is nearest to.
ReadLabels read_labels(const SamplesBehindSwitch& terms, const attention::Block& block);

}  // namespace hardhead::challenge
