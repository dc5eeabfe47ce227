#pragma once
#include "attention/layer/layer.h"
#include "base/run/run_context.h"
#include "learner/certificate/harvest.h"

namespace hardhead::learner {

/// What certified rows say about the attention forms. Where all heads attend alike, with pattern p, all of
/// the affine hull of the Theta_i solves the k equations
///
///     sqrt(p_a) x_r^T Theta (x_a - xbar) = sqrt(p_a) (ln p_a - sum_b p_b ln p_b),   xbar = sum_b p_b x_b,
///
/// weighted so that noise in p counts by its Fisher information: noisy logarithms of small p_a count little.
/// As vectors over a they are orthogonal to s = (sqrt(p_a)), so that only k - 1 are independent.
struct Equations {
  RowMatrix left;  ///< rows (k - 1) x d^2: a row's product with vec(Theta), column-major
  Vector right;    ///< rows (k - 1)
};

/// k - 1 independent equations a row, of the same squares' sum as the k above for every Theta: their products
/// with the orthonormal basis q_a = e_a - s_a / (1 + s_k) (s + e_k), a < k, of the complement of s (the
/// Householder reflection that takes s to -e_k). For k = 2 up to sign
///
///     sqrt(p_1 p_2) x_r^T Theta (x_1 - x_2) = sqrt(p_1 p_2) ln(p_1 / p_2).
Equations independent_equations(const Harvest& harvest);

/// The same for one row: the left side of equation a is x_r z_a^T, vectorised, with z_a = sum_b q_ab x_b.
/// Writes x_r (d), z (d x (k - 1)) and the right sides (k - 1).
void independent_equation_sides(const Harvest& harvest, Index row, Eigen::Ref<Vector> token,
                                Eigen::Ref<Matrix> differences, Eigen::Ref<Vector> right);

/// The second moment of (left sides, minus right sides), averaged over all k equations of all rows: a
/// (d^2+1) x (d^2+1) matrix M with c (Theta, 1)^T M (Theta, 1) = sum of squared residuals, c = rows k.
///
/// The sum over a row's equations is Cov_p(x) (x) x_r x_r^T, a Kronecker product of symmetric matrices, so
/// that of M's entries only (d (d+1) / 2)^2 differ. Cost: rows d^4 / 4 multiply-adds, for any k. The
/// equations are never stored: memory is M and a quarter of it.
Matrix second_moment(const Harvest& harvest, const RunContext& context);

/// Gives what no equation sees of Theta a weight of its own in a second moment of left sides, the mean of the
/// moment's diagonal, so that it is 0 in every estimate and no direction is found in it. With P the
/// projection on the span of the tokens x_r and Q that on the span of the differences x_a - xbar, the
/// equations see P Theta Q. The differences have no features that never vary, on whose columns attention does
/// not depend (attention/layer/canonical.h); tokens behind a LayerNorm, whose features sum to 0, span one
/// direction less. Both spans are those of the moment's partial traces. The moment is d^2 x d^2, or has the
/// right sides behind.
void weigh_unseen(Matrix& moment);

/// The projection on the span of a positive semidefinite matrix, up to rounding; the identity itself where
/// that is everything.
Matrix projection_on_span(const Matrix& gram);

/// Root mean square over all k equations of all rows of left side minus right side at `theta`, in weighted
/// logits: the root of Var_p(x_r^T Theta x_a - ln p_a) / k averaged over rows. Throws Stopped.
double equation_residual(const Harvest& harvest, const Matrix& theta, const RunContext& context);

/// Bytes that second_moment() takes at most besides the moment and products of a quarter of its size.
double equations_bytes(Index d);

}  // namespace hardhead::learner
