#pragma once
#include <vector>

#include "attention/forward/block.h"
#include "attention/forward/memory.h"
#include "base/numeric/random.h"
#include "base/run/run_context.h"
#include "learner/affine_hull.h"

namespace hardhead::learner {

/// Where phase 6 looks for the heads (phase 5): a ball in an affine subspace, around its point of least norm.
struct SearchSpace {
  AffineHull flat;             ///< the subspace that the Theta_i are taken from
  double radius = 0;           ///< of the ball, Frobenius
  attention::Index heads = 1;  ///< sought, m

  /// Coordinates of a head.
  attention::Index dimension() const { return static_cast<attention::Index>(flat.directions.size()); }
};

/// A net over a ball of an affine subspace: the points of a cubic grid, centred at its offset, that lie in
/// the ball of the given radius; as fine as `most` points allow, with an odd number of points, at most 61, an
/// axis. Coordinates; one point if the subspace is a single one.
std::vector<attention::Vector> net_points(attention::Index dimension, double radius, std::int64_t most);

/// How fine the net is, and what is tried on it.
struct NetOptions {
  std::int64_t points = 1500;  ///< of the net, at most
  double target = 1e-2;        ///< relative error that needs no restart
  int restarts = 5;            ///< at most this many, each from another random first head
};

/// The heads found, with their error.
struct NetResult {
  attention::Layer layer;   ///< heads at points of the net, W_i by least squares
  std::int64_t points = 0;  ///< of the net
  std::int64_t tuples = 0;  ///< whose projections were fitted
  int starts = 0;           ///< of the greedy choice
  double net_error = 1;     ///< relative error with all heads on net points
  double error = 1;         ///< after the refinement of their coordinates
};

/// Phase 6, practical route: m heads among the points of an affine subspace (the hull, or the span).
///
/// On a net, heads are chosen greedily, each the point that leaves the least squared error with the W_i
/// fitted by least squares for all chosen so far; then exchanged one at a time for the best other point until
/// nothing changes; then moved off the net by variable projection on their coordinates. An error above the
/// target is tried again from a random first head, and the best try is kept. Heuristic. (The paper tries all
/// m-tuples of a net over the span: exhaustive_search.h.)
NetResult search_net(const std::vector<attention::Block>& blocks, const SearchSpace& space,
                     const NetOptions& options, const Stream& stream, const RunContext& context);

/// Bytes that search_net() takes at most for this many heads, examples and dimensions of the subspace,
/// besides the examples.
double search_net_bytes(const attention::PassShape& shape, std::int64_t examples, attention::Index dimension,
                        std::int64_t points);

}  // namespace hardhead::learner
