#pragma once
#include <span>
#include <vector>

#include "base/rational.h"

namespace hardhead::hardness {

/// Weights of logistic steps that reproduce a function of an integer h exactly (ours; see hardness.h).
///
///     sum_i weights[i] * sigma(h - steps[i]) = g(h) + offset   for h = 0 .. H,
///     sigma(u) = 1 / (1 + B^(2u)),   steps half-integers given as twice_steps (odd integers).
struct StepWeights {
  std::vector<int> twice_steps;   ///< 2 t_i
  std::vector<Rational> weights;  ///< w_i
  Rational offset;                ///< kappa; 0 for exact interpolation
};

/// Exact interpolation: H + 2 steps at -1/2, 1/2, .., H + 1/2, offset 0, and sum_i w_i = 0. `g` holds
/// g(0) .. g(H). Unique for every B >= 2 (a Cauchy system).
StepWeights exact_interpolation(std::span<const Rational> g, std::int64_t base);

/// Fewest steps: H steps at 1/2, .., H - 1/2, with the additive constant that makes the system square.
StepWeights minimal_steps(std::span<const Rational> g, std::int64_t base);

/// sum_i weights[i] sigma(h - steps[i]), exactly.
Rational evaluate(const StepWeights& steps, std::int64_t base, long h);

}  // namespace hardhead::hardness
