#pragma once
#include <optional>

#include "hardness/families/junta.h"
#include "sq/dimension/member_pairs.h"

namespace hardhead::hardness {

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
