#pragma once
#include "base/numeric/random.h"
#include "base/run/stop_token.h"
#include "learner/factors/factors.h"
#include "learner/objective/first_order.h"

namespace hardhead::learner {

/// What labels say to first order.
struct FirstLook {
  const MatrixMap& map;    ///< A of some examples
  const MatrixMap& fresh;  ///< A of a few others
  const Matrix& w_sum;     ///< W_sum in the units of the map's images
};

/// What low_rank_heads() sees.
struct HeadsSeen {
  Matrix inner;        ///< Q_i^T, K_i^T and V_i^T of all heads on top of each other (Factors)
  Index standing_out;  ///< heads that stand out of the noise
};

/// Where a fit of heads in factors begins: Q_i^T, K_i^T and V_i^T of all heads on top of each other
/// (Factors), read off the labels to first order in the Theta_i, where these show the map
/// A = sum_i c W_i <Theta_i, .> and noise (FirstOrder).
///
/// The leading singular matrices of A (leading_heads) say which space the Theta_i span, and no more: A is the
/// same for other combinations. But a combination of several heads has a higher rank than `form`, where m
/// form is not far above d. So a head is sought as the matrix M in that space with the most of its squared
/// norm in `form` singular values,
///
///     P <- orth(M^T Q),  Q <- orth(M P),  M <- the projection of Q Q^T M P P^T on the space, of norm 1,
///
/// alternating projections (Y. Nakatsukasa, T. Soma, A. Uschmajew, "Finding a low-rank basis in a matrix
/// subspace", Math. Program. 162, 2017), each from a random M, at first in what is orthogonal to the heads
/// found before: the Theta_i of independent heads nearly are. With T_i = Q Q^T M P P^T of norm 1 for the
/// Theta_i, the c W_i |Theta_i| are sum_j A(T_j) (G^-1)_ji, with G_ij = <T_i, T_j>.
///
/// This is repeated. Cut off at rank `value`, these W_i have less noise than singular matrices, by about the
/// root of d / (4 value); so has the space that the adjoint of A makes of them; and so have the heads that
/// are found in it, near those before. It ends when heads no longer gain in the norm of their M that is in
/// `form` singular values. A head stands out if other examples show three tenths of the c W_i |Theta_i| that
/// these show; they show nothing of what noise made.
///
/// Labels to first order are the same for -Theta_i and -W_i, which is another layer. But W_sum = sum_i W_i:
/// by least squares in c |Theta_i| W_i its coefficients have the signs of the Theta_i, and are in proportion
/// to 1 / |Theta_i|. What they leave open is one norm for all: the median one is 1 here. What the O_i are is
/// for least squares to say.
///
/// `forms`: factors.m leading matrices of A at least. Heuristic: no guarantee. Throws Stopped.
HeadsSeen low_rank_heads(const FirstLook& look, const Matrix& forms, const Factors& factors,
                         const Stream& stream, const StopToken& stop = {});
/// Products with A or its adjoint that it takes where heads are strong.
inline constexpr int low_rank_heads_products = 7;
/// Bytes that it takes besides the map and `forms`, at most.
double low_rank_heads_bytes(const Factors& factors, Index d);

}  // namespace hardhead::learner
