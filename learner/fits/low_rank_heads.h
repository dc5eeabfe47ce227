#pragma once
#include "base/numeric/random.h"
#include "base/run/stop_token.h"
#include "learner/factors/factors.h"
#include "learner/objective/head_strengths.h"

namespace hardhead::learner {

/// Where a fit of heads in factors begins: Q_i^T, K_i^T and V_i^T of all heads on top of each other
/// (Factors), read off the labels to first order in the Theta_i.
///
/// The leading matrices of the first-order map A (leading_heads) say which space the Theta_i^T span, and no
/// more: A = sum_i c_i W_i <Theta_i, .> is the same for other combinations. But a combination of several
/// heads has a higher rank than `form`, where m form is not far above d. So a head is sought as the matrix M
/// in the span of the forms with the most of its squared norm in `form` singular values,
///
///     P <- orth(M^T Q),  Q <- orth(M P),  M <- the projection of Q Q^T M P P^T on the span, of norm 1,
///
/// alternating projections (Y. Nakatsukasa, T. Soma, A. Uschmajew, "Finding a low-rank basis in a matrix
/// subspace", Math. Program. 162, 2017), each from a random M that is orthogonal to those found before. With
/// R_ij the coefficients of head i, W_i is then in proportion to sum_j strengths_j (R^-1)_ji projections_j,
/// of which V_i spans the leading columns. Every Theta_i has Frobenius norm 1: to first order, labels do not
/// tell its norm and that of W_i apart. What the O_i are is for least squares to say (fit_outputs).
///
/// Heuristic: no guarantee. `heads` has factors.m leading matrices at least. Throws Stopped.
attention::Matrix low_rank_heads(const LeadingHeads& heads, const Factors& factors, const Stream& stream,
                                 const StopToken& stop = {});

}  // namespace hardhead::learner
