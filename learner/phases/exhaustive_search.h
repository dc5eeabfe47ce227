#pragma once
#include "learner/phases/net.h"

namespace hardhead::learner {

/// Phase 6, the paper's route: every tuple of m different points of a net over an affine subspace (the span
/// of the Theta_i in the paper) of at most `points` points, the W_i by least squares on the first three
/// quarters of the blocks, choice of the tuple of least error on the last quarter.
///
/// Attended mean tokens z of each point, and with them the products sum z_a z_b^T for all pairs of points,
/// are computed once; a tuple then costs a Cholesky factorisation of its m d x m d Gram matrix. Polls the run
/// context. The result is the same for any number of threads.
NetResult exhaustive_search(const std::vector<attention::Block>& blocks, const SearchSpace& space,
                            std::int64_t points, const RunContext& context);

/// Number of tuples, C(points, m); as a real number, since it may be astronomical.
double tuple_count(std::int64_t points, attention::Index heads);

/// Seconds of exhaustive_search on one core, for all tuples of `heads` of `points` points, from the
/// operations of a tuple and rates measured on one machine: right within a factor of three or so.
double predicted_search_seconds(attention::Index d, attention::Index heads, std::int64_t points);

/// Bytes that it takes at most besides its examples.
double exhaustive_search_bytes(const attention::PassShape& shape, std::int64_t examples, std::int64_t points);

}  // namespace hardhead::learner
