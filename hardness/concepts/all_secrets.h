#pragma once
#include <optional>

#include "lwe/problem/parameters.h"
#include "sq/dimension/member_pairs.h"

/// What the family `lwr` of given parameters says before any example is seen, by enumeration of all its
/// secrets but 0 (which makes no layer) and all a: exactly.
namespace hardhead::hardness {

/// How much lower than the null error the error of a predictor is that knows the family and has seen no
/// example. It says the mean label, given a, over all secrets that could be meant:
///
///     1 - sum_w E_a (g(<w,a>) - E_v g(<v,a>))^2 / sum_w E_a (g(<w,a>) - gbar)^2,
///
/// gbar as in RoundingProblem::null_error(), v like w.
struct AveragingGain {
  Rational all;         ///< v any secret
  Rational same_heads;  ///< v any secret with the same H, which the number of heads shows (heads=exact)
};

/// Empty where secrets x q^n is more than 2^24.
std::optional<AveragingGain> averaging_gain(const lwe::ProblemParameters& parameters);

/// All pairs of secrets, with the law of a uniform h for labels of the null distribution: rho(w, v) = (sum_y
/// P[g_w = g_v = y] / P[g = y] - 1) / 2, the half for the switch. Empty where secrets^2 x q^n is more than
/// 2^26.
std::optional<sq::MemberPairs> rounding_pairs(const lwe::ProblemParameters& parameters);

/// How many secrets there are but 0. Different ones have different labels at some a (learner/values/flip.cc
/// has the proof), so they are as many functions.
Integer secrets_behind_layers(const lwe::ProblemParameters& parameters);

}  // namespace hardhead::hardness
