#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "attention/layer/layer.h"
#include "learner/affine_hull.h"
#include "learner/certificate/harvest.h"

namespace hardhead::learner {

/// What is known of m before a hull is sought; and, by the paper's route, how thick K is (polytope.h).
struct HullOptions {
  std::optional<Index> heads{};  ///< m where it is known; else the largest gap names it
  Index max_heads = 8;           ///< most heads that the gap may name
  double slack = 1.5;            ///< eps of K in multiples of the least possible, at least 1
  std::uint64_t seed = 1;        ///< of the random directions in which K is measured
};

/// Throws InsufficientData if the heads that are told, or a single one, leave no direction out: m >= d^2.
void check_heads(Index d, const HullOptions& options);

/// A hull with the evidence for it.
struct HullEstimate {
  AffineHull hull;  ///< as estimated
  /// What names m, max_heads numbers or so: the smallest eigenvalues of the equations' second moment,
  /// ascending (here), or the lengths of a convex body, descending (polytope.h).
  std::vector<double> spectrum;
  double gap = 0;       ///< between spectrum[m-1] and spectrum[m], a ratio above 1: the evidence for m
  double residual = 0;  ///< root mean square of the equations at the offset, in (weighted) logits
};

/// The hull from certified rows (phase 2, second half, and phase 4), by the spectral route.
///
/// All of the affine hull solves the equations of the certified rows (equations.h). With the right side as
/// one more column, their second moment M is a (d^2+1) x (d^2+1) matrix that is small on the m vectors
/// (Theta_i, 1) and on nothing else: its bottom eigenvectors span them, the largest gap among its eigenvalues
/// names m (m = 1 included), and combinations with last entry 0 are the directions Theta_i - Theta_j. Without
/// that column a selection effect spoils the gap: rows of small score have small logits, which makes M small
/// along Theta itself. The offset is the least-squares solution, orthogonal to the directions. Noise enters
/// the directions only to second order while the acceptance window is symmetric in the heads' difference.
///
/// What no equation sees of the Theta_i is 0 here (weigh_unseen). Nothing else in phases 2 to 4 asks for
/// inputs that are symmetric about 0 or isotropic: a certified row's equations hold whatever the tokens are,
/// and the bias of the queries, the last row of Theta, is in them like the other rows.
///
/// Below d = 64, eigenvectors by inverse subspace iteration on the Cholesky factor of M: rows d^4 / 4
/// multiply-adds for M, d^6 / 6 for the factor, 2.25 d^4 doubles of memory. From there on M is not formed:
/// its products with vectors (moment_operator.h) are all that a Davidson method and conjugate gradients need
/// (symmetric_solvers.h), some 2 rows d^2 multiply-adds for each of a few hundred vectors, and rows k d
/// doubles of memory.
HullEstimate estimate_hull(const Harvest& harvest, const HullOptions& options, const RunContext& context);

/// Fewest rows that determine M: d^2 / (k - 1), rounded up.
std::int64_t fewest_rows(Index d, Index k);

/// Bytes that estimate_hull() takes at most besides its harvest.
double hull_bytes(Index d, Index k, std::int64_t rows, Index most_heads);

/// Multiply-adds of estimate_hull(), about.
double hull_operations(Index d, Index k, std::int64_t rows, Index most_heads);

}  // namespace hardhead::learner
