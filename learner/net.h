#pragma once
#include <vector>

#include "attention/block.h"
#include "base/run_control.h"
#include "learner/hull.h"

namespace hardhead::learner {

struct NetOptions {
  std::int64_t points = 1500;  ///< at most so many points; the grid's points an axis are odd and at most 61
  double radius = 2;     ///< of the net's ball, in units of the heads' distance expected from the offset
  double finest = 1e-3;  ///< the search around the chosen points ends at this share of the radius
};

struct NetResult {
  attention::Layer layer;
  attention::Matrix coordinates;  ///< (m-1) x m: hull coordinates of each head
  std::int64_t points = 0;        ///< of the net
  std::int64_t evaluations = 0;   ///< tuples whose projections were fitted
  double net_error = 1;           ///< relative error on the blocks with all heads on net points
  double error = 1;               ///< after the search around them
};

/// Phase 6, practical route: the heads among the points of the hull. They have m - 1 coordinates each; a grid
/// over the ball |c| <= radius |offset| sqrt(m-1) is the net. (If the Theta_i are orthogonal and equally
/// long, the hull's least-norm point has norm |Theta_i| / sqrt(m), and that is the distance of each from it,
/// times the factor `radius`.)
///
/// Heads are chosen greedily, each the point that leaves the least squared error with the W_i fitted by least
/// squares for all chosen so far; then exchanged one at a time for the best other point until nothing
/// changes; then moved off the grid, one coordinate at a time, by steps that halve when none helps.
/// Heuristic. (The paper tries all m-tuples of a net over the span.)
NetResult search_net(const std::vector<attention::Block>& blocks, const AffineHull& hull,
                     const NetOptions& options, const RunControl& control);

}  // namespace hardhead::learner
