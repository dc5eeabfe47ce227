#pragma once
#include "learner/mobius/points.h"

namespace hardhead::learner::mobius {

/// Affine functions of v that are the heads' attention weights: q_i = w_i . v + beta_i.
struct Weights {
  Matrix w;     ///< m x m, row i is w_i
  Vector beta;  ///< m
  /// The least |tau_i - 1| / (tau_i + 1) of the odds that show them (below). Errors grow as its inverse,
  /// squared.
  double least_change = 0;

  /// N x m: q of every row of v.
  Matrix at(const Matrix& v) const { return (v * w.transpose()).rowwise() + beta.transpose(); }
};

/// Number of columns of the system of relations below: 2 m + 1 + m (m+1) / 2. Its rank is m less.
constexpr Index relation_columns(Index m) {
  return 2 * m + 1 + m * (m + 1) / 2;
}

/// Finds the weights from pairs of rows (v, v') of two N x m matrices whose heads' odds differ by constants:
/// q'_i / (1 - q'_i) = tau_i q_i / (1 - q_i). Multiplied out,
///
///     q' - tau q + (tau - 1) q q' = 0,
///
/// which for q = w.v + beta, q' = w.v' + beta is linear in the monomials v', v, 1, sym(v v'^T), with the
/// coefficients
///
///     (1 + (tau-1) beta) w,    (-tau + (tau-1) beta) w,    (tau-1) (beta^2 - beta),    (tau-1) w w^T.    (*)
///
/// For logits in general position these m vectors span all linear relations among the monomials (the
/// functions 1, q_i, q'_i and q_i q'_l + q_l q'_i, i < l, are independent), so they span the null space of
/// the N x n matrix of monomials. In a basis of it, with symmetric parts S_1, S_2, ..: S_t = sum_i c_ti w_i
/// w_i^T, so the eigenvectors of S(a) S(b)^-1, for two random combinations of them, are the w_i up to scale.
/// With u_i these eigenvectors and the null vector of head i scaled to symmetric part u_i u_i^T, its other
/// parts are rho u_i, mu u_i and nu, and by (*), w_i = alpha u_i,
///
///     1 / alpha^2 = (rho + mu)^2 - 4 nu,    beta = (1 + alpha (rho + mu)) / 2.
///
/// and (rho - mu) alpha = (tau + 1) / (tau - 1). The sign of alpha is not determined: (w, beta, tau) and (-w,
/// 1 - beta, 1 / tau) give the same relation, for q and 1 - q. Positive is chosen.
///
/// `noise`: what an entry of v is off by, about. Throws Failed where the null space does not have m
/// dimensions, or no combination has m different real eigenvalues.
Weights weights_by_odds(const Matrix& v, const Matrix& v_shifted, double noise, const Stream& stream);

}  // namespace hardhead::learner::mobius
