#pragma once
#include <optional>

#include "base/text/spec.h"
#include "experiments/attacks/attack_cost.h"

namespace hardhead::experiments {

/// What the learner `walsh` is predicted to cost, which is told the gadget (z_j = x_{1j} x_{2j}, the switch,
/// the column of the labels) and neither the family nor what it hides: correlations with all products of at
/// most s bits, where s of the d - 1 features are hidden, noise of rate e on labels.
///
///     examples   64, 128, .. until half of them, n, have sets * 2^(1-n) <= 1e-6, or with noise
///                sets * 2 exp(-n (1 - 2e)^2 / 2) <= 1e-6
///     seconds    sets * ceil(n / 64) words, each walsh::seconds_a_word (learner/gadget/walsh.h)
///
/// For `parity`, and for `lpn` with as many ones as its secret has (half where that is not known). Empty for
/// other families, and where it would take more than a year. The spec is canonical.
std::optional<AttackCost> product_search(const Spec& spec);

}  // namespace hardhead::experiments
