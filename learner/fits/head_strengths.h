#pragma once
#include "base/numeric/random.h"
#include "learner/objective/first_order.h"

namespace hardhead::learner {

/// The leading singular values of the map A of first order (FirstOrder), which is close to rank m where the
/// features of tokens are independent, and their right singular matrices. The Theta_i^T are near the span of
/// these. d x d matrices lie on top of each other.
struct LeadingHeads {
  Vector strengths;  ///< singular values, descending
  Matrix forms;      ///< (count d) x d, orthonormal
};
/// Products with A or its adjoint that leading_heads() takes.
inline constexpr int leading_heads_products = 7;
/// The `most` largest of them, or all d^2, descending, from the Krylov space of as many random matrices of
/// the stream, S, A^T A S, (A^T A)^2 S, .. (C. Musco, C. Musco, "Randomized block Krylov methods for stronger
/// and faster approximate singular value decomposition", NeurIPS 2015). The singular values above the noise
/// are right to a few percent. Throws what products throw.
LeadingHeads leading_heads(const MatrixMap& map, Index d, Index most, const Stream& stream);
/// Bytes that it takes besides the map, at most, for `count` of them.
double leading_heads_bytes(Index d, Index count);

/// How many of the strengths stand out: those before the largest ratio of one to the next, where that is
/// larger than noise has it; else 0. Too few where heads of very different strength write to the same
/// directions.
Index outstanding_heads(const Vector& strengths);

}  // namespace hardhead::learner
