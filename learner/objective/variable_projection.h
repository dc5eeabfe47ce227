#pragma once
#include <vector>

#include "attention/forward/block.h"
#include "attention/forward/memory.h"
#include "base/run/run_context.h"
#include "learner/affine_hull.h"

namespace hardhead::learner {

/// Where it ended.
struct ProjectionResult {
  attention::Matrix coordinates;  ///< dimension x m
  attention::Layer layer;         ///< heads at the coordinates, W_i by least squares
  double error = 1;               ///< relative, on the blocks
  int iterations = 0;             ///< steps, taken or not
};

/// Least squares over the coordinates of m heads in an affine subspace of attention forms, with the W_i
/// eliminated: they are the linear least squares solution for whatever coordinates.
///
/// With Z the attended mean tokens of all heads (m d x rows), residual R = Y - W^T Z orthogonal to Z, and
/// J_{i,l} = W_i^T dz_i / dc_{i,l} (d x rows), the step solves
///
///     (N + mu diag N) step = g,  N_{ab} = <J_a, J_b> - tr(A_a G^-1 A_b^T),  g_a = <J_a, R>,
///     A_a = J_a Z^T,  G = Z Z^T,
///
/// the Gauss-Newton matrix of the projected problem without the term that R multiplies (L. Kaufman, BIT 15,
/// 1975; G. Golub and V. Pereyra, Inverse Problems 19, 2003). dimension x m unknowns; a step costs a forward
/// pass and dimension x m products of d x d by d x rows. It ends after 30 steps, or at one that promises less
/// than 1e-3 of the error. Heuristic: finds the minimum near its start.
ProjectionResult variable_projection(const std::vector<attention::Block>& blocks, const AffineHull& flat,
                                     const attention::Matrix& start, const RunContext& context);

/// Bytes that it takes at most besides the blocks of this many examples and fits of the W_i.
double variable_projection_bytes(const attention::PassShape& shape, std::int64_t examples,
                                 attention::Index dimension);

}  // namespace hardhead::learner
