#pragma once
#include <optional>
#include <string>

#include "base/text/spec.h"

namespace hardhead::experiments {

/// What an attack that reads examples as equations is predicted to cost.
struct AttackCost {
  std::string name;       ///< "elimination over GF(2)"
  double examples = 0;    ///< that it reads
  double seconds = 0;     ///< predicted, on the machine that lwe's cost models were calibrated on
  std::string guarantee;  ///< with what probability it succeeds, or that this is heuristic
};

/// The cheapest attack on the instances of a spec by someone who knows the family and not what it hides:
///
///     parity          elimination_examples() (parity_elimination.h), solved as by lwe's `elimination`
///     lwr, lwe, lpn   the attack of lwe/ that is predicted to take the least time with as many samples as it
///                     wants; half of all examples have the switch on, and each of those is a sample
///
/// Empty for other families, and where no attack of lwe/ applies. The spec is canonical.
std::optional<AttackCost> cheapest_attack(const Spec& spec);

}  // namespace hardhead::experiments
