#pragma once
#include <cstdint>
#include <string>

#include "learner/attention_names.h"
#include "learner/learner.h"
#include "learner/phases/six_phases.h"

namespace hardhead::learner {

/// Certified rows that the options ask for in phase 2 or 4, which takes `route`. Linear programmes get fewer
/// than eigenvectors: their cost grows with rows, their answer rests on the few that bind.
std::int64_t rows_to_keep(Index d, Index k, const SixPhasesOptions& options, Route route);

/// Points of the net in phase 6, at most.
std::int64_t net_points_wanted(const SixPhasesOptions& options);

/// Examples of the polish over the larger of counting_bound and pattern_bound.
inline constexpr double polish_oversampling = 10;

/// What a run of the six phases is predicted to cost on the cores of this thread's arena, from the operations
/// of its large loops and rates measured on one machine: seconds are right within a factor of three or so.
struct Plan {
  Index heads = 0;                 ///< for which it is made
  double harvest_seconds = 0;      ///< reading and certifying examples, all passes
  double certificate_seconds = 0;  ///< linear programmes of one row each
  double hull_seconds = 0;         ///< the hull, both times
  double tuples = 0;               ///< of the net, whose projections are fitted
  double tuple_seconds = 0;        ///< fitting them
  double fit_seconds = 0;          ///< phase 1, the practical net (a head chosen 8 times), the polish
  double bytes = 0;                ///< six_phases_bytes()

  /// All parts together.
  double seconds() const {
    return harvest_seconds + certificate_seconds + hull_seconds + tuple_seconds + fit_seconds;
  }
  /// "2 heads, rows certified in 3 s, the hull in 20 s, 3.14e+04 tuples of heads in 3 s; 60 s in all, 1e+08
  /// bytes".
  std::string str() const;
};

/// The plan for `examples` examples and m = `heads`. Runs nothing.
Plan make_plan(Index d, Index k, Index heads, std::int64_t examples, const SixPhasesOptions& options);

/// Bytes of the arrays of such a run on tokens of signs or others, at the worst moment: an upper bound.
double six_phases_bytes(const PassShape& shape, std::int64_t examples, const SixPhasesOptions& options);
/// Bytes of what its phases report, besides.
double six_phases_report_bytes(const PassShape& shape, std::int64_t examples);

}  // namespace hardhead::learner
