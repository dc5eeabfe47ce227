#pragma once
#include "attention/layer.h"
#include "learner/hull.h"
#include "learner/report.h"

namespace hardhead::learner {

/// Watches a run from outside: constant values in, nothing out, so that whoever knows the truth can measure a
/// learner against it and the learner cannot peek. Called on the learner's thread at the end of a phase,
/// whose entry `phase` is the last of the report so far.
class Observer {
 public:
  virtual ~Observer() = default;
  /// W_sum as estimated, d x d.
  virtual void w_sum(std::size_t phase, const attention::Matrix& estimate) = 0;
  /// The affine hull of the heads.
  virtual void hull(std::size_t phase, const AffineHull& estimate) = 0;
  /// A whole layer.
  virtual void layer(std::size_t phase, const attention::Layer& estimate) = 0;
};

}  // namespace hardhead::learner
