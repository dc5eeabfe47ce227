#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "learner/mobius/feature.h"

/// Learning m heads from values at k = 2 tokens of signs. The method and its proof are this project's own.
///
/// # The setting
/// F(X) = sum_i softmax(X Theta_i X^T) X W_i on two tokens has, with sigma(u) = 1 / (1 + e^-u),
///
///     row 1 = x1 W_sum + sum_i sigma(x1^T Theta_i (x2 - x1)) (x2 - x1) W_i,    row 2 with tokens exchanged.
///
/// # The steps, and why they are right
/// (a) x1 = x2 gives x1 W_sum: d independent x1 give W_sum.
///
/// (b) Let x2 be x1 with feature j flipped, x1_j = 1, so that x2 - x1 = -2 e_j. Both rows then show
///
///     V_j(z) = sum_i q_i(z) c_i, q_i = sigma(-2 z^T theta_i), theta_i column j of Theta_i, c_i row j of W_i
///
///     (points.h). A head with theta_i = 0 has q_i = 1/2: all such heads are one constant, V_j = constant +
///     sum over the others. **Condition**: the c_i of heads that vary are independent, for each j (so m <=
///     d). Then V_j varies in as many directions as there are such heads, and in coordinates v of these
///     directions q_i = w_i.v + beta_i for unknown w_i, beta_i.
///
/// (c) Flip, in both tokens, a block of other features whose signs are fixed. The logit of head i changes
///     by a constant, its odds q / (1-q) by a constant factor tau_i: a Moebius map, q' - tau_i q + (tau_i -
///     1) q q' = 0.
///     **Condition**: the tau_i are not 1, or near to it; another block is asked if they are; and there are
///     more than (m + 1)^2 different pairs of points, 2^(d - 2) (feature.h: has_few_pairs). This relation
///     is linear in monomials of v and v', and odds.h shows that it gives the w_i and beta_i, up to q_i <-> 1
///     - q_i, by the null space of a matrix and eigenvectors.
///
/// (d) log(q_i / (1 - q_i)) = -2 z^T theta_i is linear in z: least squares gives theta_i. Then V_j is linear
///     in the c_i and the constant: least squares gives these (feature.h).
///
/// (e) Which heads of feature 0 and of feature j are one head, and with which sign, is seen from V_{0,j},
///     of both features flipped at once: its logits are the sums of theirs (join_features).
///
/// (f) sigma(u) c = c - sigma(-u) c, so {(Theta, W)} and {(-Theta, -W), (0, 2 W)} are one function for k = 2
///     (attention/layer/canonical.h). Signs are chosen such that no constant head is needed, where that is
///     possible; else it is the last head.
///
/// (g) Polish, reported apart: Gauss-Newton on each V_j at the points that were asked for, from
///     what was found (polish).
///
/// # What it takes
/// The same signs are asked about every feature (common_signs.h), so that products with them are made for
/// many features at a time. Of V_j only its m + 1 directions are kept (directions.h). The logits of (d) and
/// the steps of (g) are found by conjugate gradients, preconditioned by a Cholesky factor of each head
/// (logit_systems.h): O(m d^3) operations a feature. Answers cost O(m d^2) operations a query.
///
/// Steps a to f are exact for exact answers. A layer that breaks a condition fails in the step that needs it;
/// the last step compares with fresh values, so that no wrong layer is handed back.
///
/// # Layers with biases
/// Their last feature is 1 in every token and cannot be flipped alone, only in all tokens at once, which asks
/// for -F(-X). That is all that steps (a) to (c) do with it: it is never the feature j, and a sign like
/// others in z, so that its rows of the Theta_i, the biases of queries, are found. Nothing else is there to
/// be found (attention/layer/canonical.h): the last columns of the Theta_i are 0, and the last row of W_sum
/// is divided equally among the heads.
///
/// # Queries
/// All are of two tokens of signs (all_queries). They grow as d m^2 for large m, with no exponential in m.
namespace hardhead::learner::mobius {

/// Queries that W_sum takes: the least power of two that is at least d.
constexpr Index w_sum_queries(Index d) {
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(d)));
}

/// Head i of feature 0 is head partner[i] of another feature, with its sign turned where turned[i].
struct Join {
  std::vector<Index> partner;  ///< a permutation of 0 .. m-1
  std::vector<bool> turned;    ///< whether (theta, c) there is to be read as (-theta, -c)
};

/// Queries that joining two features takes.
constexpr Index join_queries(Index d, Index m) {
  const Index equations = 2 * m < d ? 2 * m : d;  // that a row of an answer gives
  return m == 1 ? 1 : (m * m + equations - 1) / equations + 3;
}

/// Finds which heads of two features are one head, from values of V_{0,j} (step e). Throws Failed
/// where the best join does not meet the values within `tolerance`, relative to their norm, and Stopped.
Join join_features(const FeatureHeads& first, const FeatureHeads& other, const Points& points,
                   double tolerance, const StopToken& stop = {});

/// The heads of `other` in the order and with the signs of the first feature's.
FeatureHeads in_order(const FeatureHeads& other, const Join& join);

/// Gauss-Newton on V_j at the points of each feature, from what was found, all features side by side.
///
/// Variable projection in Kaufman's form: c and the constant are eliminated by projecting on the complement P
/// of the span of the attention weights and 1. The Jacobian with respect to theta_i is then P D_i Z (x) c_i,
/// D_i = diag(-2 q_i (1 - q_i)), and a step u solves
///
///     Z^T (D o (P (D o Z u) c c^T)) = Z^T (D o (residual c^T)),    o entry by entry, D = [D_1 1, D_2 1, ..]
///
/// by conjugate gradients (logit_systems.h), preconditioned head by head. P takes out s_a, a = 0 .. m, of the
/// attention weights and 1: u_i with D_i Z u_i near s_a hardly change V, such as multiples of theta_i while
/// logits are small. These m (m + 1) directions are solved for apart. Throws Stopped.
void polish(std::span<Feature> features, const CommonSigns& signs, const StopToken& stop = {});

/// Queries with which the last step compares.
inline constexpr Index check_queries = 4;

/// All queries of a run on a layer of m heads that vary, where no block had to be given up
/// (Feature::repeats); relation_queries() more for each that was.
constexpr Index all_queries(Index d, Index m, Index oversample = 1) {
  return w_sum_queries(d) + d * feature_queries(d, m, oversample) + (d - 1) * join_queries(d, m) +
         check_queries;
}

/// The layer that features say, joined as `joins` has it (joins[j - 1] of feature j): steps (e) and (f). A
/// constant of norm at most `negligible` times that of all W_i is none. Where there are fewer features than
/// the columns of Theta have entries, the columns and rows of the others are 0.
Layer assembled(const std::vector<FeatureHeads>& features, const std::vector<Join>& joins, double negligible);

}  // namespace hardhead::learner::mobius
