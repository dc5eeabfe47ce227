#pragma once
#include <array>

#include "base/text/option_table.h"
#include "hardness/families/rounding_layer.h"

namespace hardhead::hardness {

/// How many heads an `lwr` layer has.
enum class LwrHeads {
  exact,  ///< H + 2
  padded  ///< as many as the largest H of such secrets takes, those past H + 2 of weight 0
};

constexpr auto enum_names(LwrHeads) {
  return std::to_array<EnumName<LwrHeads>>({{LwrHeads::exact, "exact"}, {LwrHeads::padded, "padded"}});
}

/// The parameters of family `lwr`.
struct LwrOptions {
  RoundingOptions rounding;          ///< what it shares with `staircase`
  LwrHeads heads = LwrHeads::exact;  ///< how many
};

/// All rows but the seed, which is the last.
OptionTable<LwrOptions> lwr_rows();
/// The table of family `staircase`.
OptionTable<RoundingOptions> staircase_table();

/// The layer, with neither spec nor digest. Throws InputError as rounding_problem() and
/// exact_rounding_instance() do.
Instance lwr_instance(const LwrOptions& options);
/// Its sizes. Throws as lwr_instance().
InstanceShape lwr_shape(const LwrOptions& options);

/// The problem behind a spec of `lwr` or of `staircase`, without its layer. Throws InputError for another
/// family, and as make_instance() does.
RoundingProblem rounding_problem(const Spec& spec);

}  // namespace hardhead::hardness
