#include "sq/game/conjunction_learner.h"

#include <fmt/format.h>

namespace hardhead::sq {

Concept conjunction(Bits variables) {
  return {fmt::format("conjunction {:#x}", variables), variables,
          [variables](Bits z) { return (z & variables) == variables ? 1 : -1; }};
}

ConjunctionFound learn_conjunction(StatOracle& oracle) {
  ConjunctionFound out;
  for (int j = 0; j < oracle.bits(); ++j) {
    const Bits variable = Bits{1} << j;
    const Rational answer =
        oracle.ask({fmt::format("label 1 and variable {} false", j), Range::signed_unit, variable,
                    [](Bits z, int label) { return label == 1 && z == 0 ? 1.0 : 0.0; }});
    if (answer <= oracle.tau()) out.variables |= variable;
    ++out.queries;
  }
  out.error_bound = 2 * oracle.bits() * oracle.tau();
  return out;
}

}  // namespace hardhead::sq
