#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/text/option_table.h"
#include "hardness/families/family.h"
#include "sq/dimension/parity_bound.h"

namespace hardhead::hardness {

/// How many heads meet a parity (hardness.h).
enum class ParityVariant {
  exact,         ///< m + 2, steps of one slope
  minimal,       ///< m, or m + 1 where m is odd: steps of one slope, up to a constant where m is even
  compact,       ///< floor(m/2) + 1, a ramp and steps (gadget/compact_heads.h): W is not 0
  compact_exact  ///< floor(m/2) + 2: those and a flat head, W = 0
};

constexpr auto enum_names(ParityVariant) {
  return std::to_array<EnumName<ParityVariant>>({{ParityVariant::exact, "exact"},
                                                 {ParityVariant::minimal, "minimal"},
                                                 {ParityVariant::compact, "compact"},
                                                 {ParityVariant::compact_exact, "compact-exact"}});
}

/// The parameters of family `parity`: for the layer, and for the class of concepts of that name
/// (concept_class.h), which is that family seen by statistical queries.
struct ParityOptions {
  attention::Index d = 20;                       ///< features of a token; the last one is the switch
  attention::Index m = 6;                        ///< size of the hidden set, at most d - 1
  std::int64_t base = 4;                         ///< B of the gadget; only the layer has it
  ParityVariant variant = ParityVariant::exact;  ///< of the layer
  std::uint64_t seed = 1;                        ///< which member of the family
};

/// All rows but the seed, which is the last.
OptionTable<ParityOptions> parity_rows();
/// The table of `parity`, for every command that takes its specs.
OptionTable<ParityOptions> parity_table();

/// Most features of a parity layer. Bounds on queries are for any d of the table.
inline constexpr attention::Index max_parity_features = 512;

/// Whether the layer is rational: all but `compact` and `compact-exact` of more than three bits.
bool has_exact_layer(const ParityOptions& options);
/// Heads of the layer, flat ones included.
attention::Index parity_heads(ParityVariant variant, attention::Index m);
/// The most bits that a variant hides behind this many heads; 0 where it hides none.
attention::Index bits_behind_heads(ParityVariant variant, attention::Index heads);

/// What is proved of the parities that a number of heads hides in one way.
struct QueriesBehindHeads {
  std::string way;           ///< a variant of family `parity`, or "densest known"
  attention::Index heads{};  ///< M
  attention::Index bits{};   ///< the most that M heads hide in this way, d - 1 at most
  Rational queries;          ///< the largest bound on queries to STAT(tau) among the m up to it
};

/// Bits that this many heads are known to hide up to a constant, where their slopes may nearly agree: 6, 9,
/// 11 by 3, 4, 5 heads, proved from tests/known_answers/dense_layers.json; else those of `compact`.
attention::Index densest_known_bits(attention::Index heads);

/// `exact`, `minimal`, `compact` and, where it is more than compact, "densest known", in this order. Ways in
/// which the heads hide no bit are left out. goal.m is not looked at. Throws as sq::parity_query_bound().
std::vector<QueriesBehindHeads> queries_behind_heads(sq::ParityGoal goal, attention::Index heads,
                                                     const Rational& tau);

/// Labels -2 (-1)^g, g the parity of the m hidden ones of d - 1 bits: for Family::samples of whatever has
/// such labels.
SamplesBehindSwitch parity_samples(attention::Index d, attention::Index m);

/// The sizes of the layer. Throws InputError for m > d - 1, more than max_parity_features features, and exact
/// weights of more than 6e5 bits; for `compact` and `compact-exact` instead for m or B out of range
/// (gadget/compact_heads.h).
InstanceShape parity_shape(const ParityOptions& options);
/// The layer, with neither spec nor digest. It has an exact layer but for `compact` and `compact-exact` of
/// more than three bits, whose weights are algebraic numbers; labels are exact all the same, each rounded
/// once. Throws as parity_shape().
Instance parity_instance(const ParityOptions& options);

}  // namespace hardhead::hardness
