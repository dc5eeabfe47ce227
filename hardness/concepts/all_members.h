#pragma once
#include <optional>

#include "hardness/families/junta.h"
#include "lwe/problem/parameters.h"
#include "sq/dimension/member_pairs.h"

/// What the families `lwr` and `junta` of given parameters say before any example is seen, exactly: by
/// enumeration of all secrets but 0 (which makes no layer) and all a, and of all juntas up to symmetry.
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

/// All pairs of members of family `junta`, where labels of the null distribution have the law of the function
/// on uniform bits.
///
/// A member is an order of m of the d - 1 coordinates. By symmetry the first one is fixed, and the other one
/// is told by which of its places have which coordinates of the first: a partial matching of places with k
/// pairs, which (d-1-m)! / (d-1-2m+k)! of the (d-1)! / (d-1-m)! orders have. With y for labels and u for the
/// k common bits,
///
///     P[f = g = y] = 2^-k sum_u P[f = y | u] P[g = y | u],
///     rho = (sum_y P[f = g = y] / P[f = y] - 1) / 2,
///
/// the half for the switch; all rows of rho are alike. Empty for m > max_paired_bits, where matchings are too
/// many: sum_k C(m, k)^2 k!.
std::optional<sq::MemberPairs> junta_pairs(const JuntaOptions& options);

/// The largest m for junta_pairs().
inline constexpr attention::Index max_paired_bits = 7;

/// How many different functions the members are: (d-1)! / (d-1-m)! over the number of orders of its own bits
/// that leave the function as it is.
Integer junta_functions(const JuntaOptions& options);

}  // namespace hardhead::hardness
