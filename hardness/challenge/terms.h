#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attention/forward/block.h"
#include "base/text/spec.h"
#include "hardness/families/nice_layer.h"
#include "lwe/problem/challenge.h"

namespace hardhead::challenge {

/// Labels of a family with a switch (hardness/gadget/switch_gadget.h): k = 2 Boolean tokens, and with the
/// last coordinate j0 as the switch
///
///     Y_{r,1} = x_{r,j0} (first + step g)   where x_{1,j0} = -x_{2,j0},   and 0 in all other entries,
///
/// g in 0 .. levels - 1 being the label of a sample (a, g) of `problem`: bit e of entry j of a is 1 where the
/// tokens differ in coordinate j log2(q) + e. All but the secret of `problem` is public.
struct SwitchTerms {
  lwe::ProblemParameters problem;  ///< parity: of q = 2 without noise, a secret of m ones
  std::int64_t levels = 2;         ///< p for lwr, else q
  double first = 0, step = -2;     ///< parity: -2 and 4, which is -2 (-1)^g
};

/// What is public of a challenge before anything is drawn: a spec of a family without its seed.
struct Terms {
  Spec spec;                                              ///< canonical, without seed
  attention::Index d = 0, k = 0;                          ///< features, tokens
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X
  std::optional<SwitchTerms> behind_switch;               ///< parity, lwr, lwe, lpn; else
  std::optional<hardness::NiceOptions> nice;              ///< nice; its seed has no meaning

  /// Numbers of a label, k d.
  std::int64_t entries() const { return k * d; }
  /// log2 of the number of secrets; none for `nice`, whose secret is a list of reals.
  std::optional<double> log2_secrets() const;
};

/// Families that challenges are made of.
inline constexpr const char* challenge_families = "parity, lwr, lwe, lpn, nice";

/// Throws InputError for a spec that has a seed: a secret comes from the operating system's entropy.
void refuse_seed(const Spec& spec);
/// A canonical spec, but for its seed.
Spec without_seed(Spec canonical);

/// The terms of a spec. Throws InputError: a spec with a seed, another family, a parity of variant `minimal`,
/// nice layers whose labels have no six digits to compare (w_norm outside of 0.01 .. 100, or more than 3072
/// numbers a label), and what the family refuses.
Terms read_terms(const Spec& given);

/// The rows a of the examples of a block of tokens that have the switch on, in their order. Labels of the
/// block count for nothing.
lwe::Samples rows_behind_switch(const SwitchTerms& terms, attention::Block& block);

/// Writes the labels of a block whose examples with the switch on have these g, in their order.
void write_labels(const SwitchTerms& terms, std::span<const lwe::Residue> g, attention::Block& block);

/// What a predicted block of labels says.
struct ReadLabels {
  std::vector<lwe::Residue> g;  ///< of the examples with the switch on: the nearest
  std::int64_t defects = 0;     ///< entries farther from the label of that g than a quarter of `step`
  std::string first_defect;     ///< "y[3,0,0] is 0.1, and a label there is -2 or 2"; empty for none
};
/// The g whose labels the y of a block is nearest to.
ReadLabels read_labels(const SwitchTerms& terms, const attention::Block& block);

}  // namespace hardhead::challenge
