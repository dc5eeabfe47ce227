#pragma once
#include <span>

#include "learner/attention_names.h"
#include "learner/oracle/value_oracle.h"

/// The two rows of a query of two tokens that differ in a few features, as two values of one function.
namespace hardhead::learner::mobius {

/// Values of V_F(z) = sum_i sigma(-2 z^T Theta_i e_F) e_F^T W_i, F a set of features, e_F the sum of their
/// unit vectors, at signs z that are +1 on F.
struct Points {
  Matrix z;  ///< N x d
  Matrix v;  ///< N x d, V_F of every row of z
};

/// Asks for the N rows of x (N x d, signs, +1 on F) and gets 2 N points. With x1 = x, and x2 the same with
/// all of F flipped, x2 - x1 = -2 e_F, so that
///
///     row 1 = x1 W_sum - 2 sum_i sigma(-2 x1^T Theta_i e_F) e_F^T W_i = x1 W_sum - 2 V_F(x1)
///     row 2 = x2 W_sum + 2 sum_i sigma(+2 x2^T Theta_i e_F) e_F^T W_i = x2 W_sum + 2 V_F(-x2)
///
/// and -x2 is +1 on F, as x1 is. Points 0 .. N-1 are those of row 1, N .. 2N-1 those of row 2 of the same
/// queries.
Points ask_flips(ValueOracle& oracle, const Matrix& w_sum, std::span<const Index> features, const Matrix& x);

/// Rows of signs that are asked about several features, each time with +1 in its own column.
struct SignRows {
  Matrix x;      ///< N x d
  Matrix image;  ///< N x d, x W_sum

  SignRows() = default;
  /// Of these signs.
  SignRows(Matrix signs, const Matrix& w_sum);
};

/// V_F of ask_flips() for F = {j}, where column j of x is read as +1: 2 N x d.
Matrix ask_feature(ValueOracle& oracle, const Matrix& w_sum, Index j, const SignRows& rows);

/// N x d independent signs, +1 on F: item `first` + n of the stream makes row n.
Matrix draw_signs(const Stream& stream, std::uint64_t first, Index count, Index d,
                  std::span<const Index> features = {});

}  // namespace hardhead::learner::mobius
