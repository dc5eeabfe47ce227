#pragma once
#include <memory>

#include "attention/forward/block.h"
#include "learner/attention_names.h"

class ClpSimplex;

namespace hardhead::learner {

/// A linear programme that grows and changes its objective between solves, each of which starts from the last
/// basis:
///
///     min c^T x   over   row_lower <= A x <= row_upper,   lower <= x <= upper,
///
/// by Clp's simplex methods (dual after new rows, primal after a new objective alone). Clp can abort or
/// block: run it in a child process (base/process/child_process.h). Its tolerances are absolute: entries of
/// A, c, x and the bounds should be of the order of 1.
class LinearProgramme {
 public:
  static constexpr double unbounded = 1e30;  ///< minus or plus this is no bound

  /// Variables in [lower, upper], an entry each; no rows, objective 0.
  LinearProgramme(const Vector& lower, const Vector& upper);
  ~LinearProgramme();

  /// More rows of A with their bounds, an entry each.
  void add_rows(const RowMatrix& rows, const Vector& row_lower, const Vector& row_upper);
  /// c, an entry a variable.
  void set_objective(const Vector& c);

  /// An optimal vertex. Throws Error naming what Clp found instead.
  Vector minimise();

 private:
  std::unique_ptr<ClpSimplex> clp_;
  bool feasible_ = false;  // the last basis is, in every row and bound
};

}  // namespace hardhead::learner
