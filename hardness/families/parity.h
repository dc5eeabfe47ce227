#pragma once
#include <array>
#include <cstdint>

#include "base/text/option_table.h"
#include "hardness/families/instance.h"

namespace hardhead::hardness {

/// How many heads meet a parity (hardness.h).
enum class ParityVariant {
  exact,   ///< m + 2
  minimal  ///< m, or m + 1 where m is odd
};

constexpr auto enum_names(ParityVariant) {
  return std::to_array<EnumName<ParityVariant>>(
      {{ParityVariant::exact, "exact"}, {ParityVariant::minimal, "minimal"}});
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

/// The sizes of the layer. Throws InputError for m > d - 1, more than max_parity_features features, and exact
/// weights of more than 6e5 bits.
InstanceShape parity_shape(const ParityOptions& options);
/// The layer, with neither spec nor digest. Throws as parity_shape().
Instance parity_instance(const ParityOptions& options);

}  // namespace hardhead::hardness
