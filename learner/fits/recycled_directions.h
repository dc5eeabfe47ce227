#pragma once
#include "learner/objective/linearised.h"

namespace hardhead::learner {

/// Directions of one run of conjugate gradients, which make a better preconditioner for the next run, where
/// the matrix A is nearly the same. With s_j = direction_j / sqrt(direction_j . A direction_j), y_j = A s_j
/// and a preconditioner M, it is
///
///     H = (I - S Y^T) M^-1 (I - Y S^T) + S S^T,
///
/// symmetric and positive definite whatever the s_j are. Directions of one run are conjugate, S^T Y = I: if A
/// has not changed, then H A is the identity on their span. (J. Morales, J. Nocedal, "Automatic
/// preconditioning by limited memory quasi-Newton updating", SIAM J. Optim. 10, 2000; for conjugate
/// directions their H in closed form.)
class RecycledDirections {
 public:
  /// Of vectors with this many entries. No directions yet: H = M^-1.
  explicit RecycledDirections(Index size);

  /// H r.
  Stacked solve(const Linearised::Preconditioner& m, const Stacked& r) const;

  /// A direction of the run under way, its image A direction, and direction . image > 0. Of a long run every
  /// second one is kept, every fourth one, ..
  void add(const Stacked& direction, const Stacked& image, double curvature);
  /// Ends the run: its directions take the place of those of the run before.
  void end_run();

  /// What it takes, at most.
  static double bytes(Index size);

 private:
  struct Directions {
    Matrix s, y;
    Index count = 0;
  };
  Directions last_, under_way_;
  std::int64_t seen_ = 0, stride_ = 1;
};

}  // namespace hardhead::learner
