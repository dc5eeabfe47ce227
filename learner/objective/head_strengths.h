#pragma once
#include <vector>

#include "attention/forward/block.h"
#include "attention/forward/memory.h"
#include "base/numeric/random.h"
#include "base/run/run_context.h"

namespace hardhead::learner {

/// What labels say about the number of heads before anything is fitted. To first order in the Theta_i
///
///     F(X)_r = W_sum^T mean(X) + sum_i W_i^T C(X) Theta_i^T x_r,   C(X) = X^T X / k - mean(X) mean(X)^T,
///
/// so that with u_r what is left of the labels after the best linear function of x_r and mean(X), the linear
/// map from d x d matrices Theta to d x d matrices
///
///     A(Theta) = sum_r C(X) Theta^T x_r u_r^T / rows
///
/// is close to rank m where the features of tokens are independent: m singular values, the strengths of the
/// heads, stand above those that finitely many examples leave. Large Theta_i only make them weaker.

/// The leading singular values of A and their matrices: A is close to the map
///
///     Theta -> sum_j strengths_j projections_j <forms_j, Theta^T>,
///
/// the forms and the projections each orthonormal; the Theta_i^T are near the span of the forms, the W_i near
/// that of the projections. d x d matrices lie on top of each other.
struct LeadingHeads {
  attention::Vector strengths;    ///< singular values, descending
  attention::Matrix forms;        ///< (count d) x d
  attention::Matrix projections;  ///< (count d) x d
};
/// The `most` largest of them, or all d^2, descending, by subspace iteration from random matrices of the
/// stream (N. Halko, P. Martinsson, J. Tropp, SIAM Review 53, 2011). Costs three to four normal products
/// (Linearisation) with as many heads; after each, progress is reported as that of "first_order". Throws
/// Stopped.
LeadingHeads leading_heads(const std::vector<attention::Block>& blocks, attention::Index most,
                           const Stream& stream, const RunContext& context = {});
/// Bytes that it takes besides the blocks of this many examples, at most; shape.m is the count.
double head_strengths_bytes(const attention::PassShape& shape, std::int64_t examples);

/// How many of the strengths stand out: those before the largest ratio of one to the next, where that is
/// larger than noise has it; else 0. Too few where heads are of very different strength.
attention::Index outstanding_heads(const attention::Vector& strengths);

}  // namespace hardhead::learner
