#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/numeric/rational.h"
#include "experiments/attacks/attack_cost.h"
#include "hardness/families/instance.h"
#include "study/cost/cost_fit.h"

namespace hardhead::experiments {

/// A lower bound that is proved, in numbers.
struct ProvedBound {
  std::string of;       ///< what is counted: "queries to STAT(1/10)", "queries x t to VSTAT(t)", "examples"
  Rational at_least;    ///< the bound
  std::string meaning;  ///< what it says, one sentence
};

/// What is known of how hard the instances of a spec are: three answers that need not agree.
struct HardnessProfile {
  Spec spec;                                 ///< canonical
  hardness::InstanceShape shape;             ///< its sizes
  std::vector<ProvedBound> bounds;           ///< empty where none is implemented for the family
  std::vector<study::LearnerCost> learners;  ///< fitted; empty where none was measured on the family
  std::vector<std::string> unlike;           ///< how the measured layers differ from this one
  /// What can be said before any example is seen, or leaks through the labels: a sentence each.
  std::vector<std::string> remarks;
  std::optional<AttackCost> gadget;  ///< by the learner that is told the gadget
  std::optional<AttackCost> attack;  ///< by whoever knows the family

  /// The learner of the least predicted time; null if none has a fit.
  const study::LearnerCost* best_learner() const;
  /// One sentence. For learners an instance is hard where the 95% interval of the best one's time begins at
  /// an hour or more, easy where it ends below, and otherwise not settled; nor is it where the measured
  /// layers are `unlike` this one. Learners that are told the gadget, and whoever knows the family, have
  /// their own part of it.
  std::string verdict() const;
};

/// What bounds are asked for.
struct HardnessOptions {
  Rational tolerance{1, 10};  ///< tau of the bound on queries to STAT(tau)
  /// Of low-degree statistics; by default log2 of the number of members, rounded up.
  std::optional<int> degree{};
};

/// Bounds, from sq/, hardness/ and learner/:
///
///     parity                   queries to STAT(tau) and to VSTAT(t): sq/dimension/parity_bound.h,
///                              alpha = delta = 1
///     junta, lwr, lpn          queries to STAT(tau): sq/dimension/member_pairs.h
///     parity, junta, lwr, lpn  examples that statistics of degree 1 and of `degree` need:
///                              sq/dimension/low_degree.h
///     all of these and lwe     examples and value queries that anybody needs: sq/dimension/information.h
///     parity, junta, lwr       heads that the labels need, by their slopes: hardness/gadget/head_count.h
///     nice                     examples, by counting equations: learner::counting_bound,
///                              learner::pattern_bound
///
/// For `junta` and `lwr` by enumeration of pairs of members, where that is possible (hardness/concepts/);
/// where it is not, and for `lwe`, the information limit alone, from how many members there are.
///
/// Remarks: what as many heads hide in each way (hardness/families/parity.h); leaps
/// (sq/dimension/leap.h), of `lwr` where at most sq::max_leap_bits bits enter a label. On `lwr`: what
/// averaging all secrets gains without examples, and what a p that does not divide q leaks
/// (lwe/attacks/fourier.h).
///
/// Learners of the family, fitted to the costs of claims R6, R8 and R17 (study/cost/). Throws InputError for
/// whatever the family refuses and a tolerance out of range.
HardnessProfile hardness_profile(const Spec& spec, const HardnessOptions& options = {});

/// Whether success of this learner in measured costs (study/cost/) is the layer itself. The exception is
/// "sculpt, hull": examples until phases 1 to 4 are done, which are a part of the way.
bool ends_with_the_layer(const std::string& learner);

}  // namespace hardhead::experiments
