#pragma once
#include <optional>

#include "base/text/spec.h"
#include "experiments/attacks/attack_cost.h"

namespace hardhead::experiments {

/// What the cheaper of the learners `walsh` and `table` is predicted to cost, which are told the gadget (z_j
/// = x_{1j} x_{2j}, the switch, the column of the labels) and neither the family nor what it hides.
///
/// `walsh`: correlations with all products of at most s bits, where s of the d - 1 features are hidden, noise
/// of rate e on labels; for `parity`, and for `lpn` with as many ones as its secret has (half where that is
/// not known):
///
///     examples   64, 128, .. until half of them, n, have sets * 2^(1-n) <= 1e-6, or with noise
///                sets * 2 exp(-n (1 - 2e)^2 / 2) <= 1e-6
///     seconds    sets * ceil(n / 64) words, each walsh::seconds_a_word (learner/gadget/walsh.h)
///
/// `table`: the label of each combination of bits, for labels without noise and at most look_up::most_bits
/// bits (learner/gadget/table.h), from look_up::examples(d - 1).
///
/// Empty for families without a switch, and where both would take more than a year. The spec is canonical.
std::optional<AttackCost> cheapest_told_gadget(const Spec& spec);

}  // namespace hardhead::experiments
