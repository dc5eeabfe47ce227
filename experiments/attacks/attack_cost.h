#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/text/spec.h"
#include "lwe/problem/parameters.h"

namespace hardhead::experiments {

/// What an attack that reads examples as equations is predicted to cost.
struct AttackCost {
  std::string name;            ///< "elimination over GF(2)"
  double examples = 0;         ///< that it reads
  double seconds = 0;          ///< predicted, on the machine that lwe's cost models were calibrated on
  std::string guarantee;       ///< with what probability it succeeds, or that this is heuristic
  double log2_operations = 0;  ///< lwe::Cost::log2_operations()
  std::optional<std::string> beyond{};  ///< why this program does not run it (lwe::Cost::beyond)
};

/// The cheapest attack on the instances of a spec by someone who knows the family and not what it hides:
///
///     parities        elimination_examples() (parity_elimination.h), solved as by lwe's `elimination`
///     junta           all sets of coordinates (junta_search.h); a parity as above
///     lwr, lwe, lpn   the attack of lwe/ that is predicted to take the least time, reading included, with as
///                     many samples as it wants, of those that this program runs; if there is none, of the
///                     others. Half of all examples have the switch on, and each of those is a sample
///
/// Empty for other families, and where no attack of lwe/ applies. The spec is canonical.
std::optional<AttackCost> cheapest_attack(const Spec& spec);

/// What every attack of lwe/ is predicted to cost with the fewest samples, n times a power of two, with which
/// this program runs it and it succeeds nine times of ten (or as often as it ever does), in the order in
/// which they are listed. One that it never runs is `beyond`, with the samples that make it cheapest; one
/// that never succeeds is left out.
std::vector<AttackCost> attack_costs(const lwe::ProblemParameters& parameters);

/// What the cheaper of the learners `walsh` and `table` is predicted to cost, which are told the gadget (z_j
/// = x_{1j} x_{2j}, the switch, the column of the labels) and neither the family nor what it hides.
///
/// `walsh`: correlations with all products of at most s bits, where s of the d - 1 features are hidden, noise
/// of rate e on labels; for `parity`, and for `lpn` with as many ones as its secret has (half where that is
/// not known):
///
///     examples   64, 128, .. until half of them, n, have sets * 2^(1-n) <= 1e-6, or with noise
///                sets * 2 exp(-n (1 - 2e)^2 / 2) <= 1e-6
///     seconds    sets * ceil(n / 64) words, each walsh::seconds_a_word (learner/gadget/behind_switch.h)
///
/// `table`: the label of each combination of bits, for labels without noise and at most look_up::most_bits
/// bits, from look_up::examples(d - 1).
///
/// Empty for families without a switch, and where both would take more than a year. The spec is canonical.
std::optional<AttackCost> cheapest_told_gadget(const Spec& spec);

}  // namespace hardhead::experiments
