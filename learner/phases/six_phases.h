#pragma once
#include "learner/method.h"

namespace hardhead::learner {

/// The six phases of Chen and Li's algorithm (see learner.h), each by one of two routes with the same input
/// and output: `paper`, as they give it, or `practical`. `--method paper` and `--method sculpt` are the same
/// learner with all phases by the one route or the other; any mix can be asked for, as in
/// `sculpt:hull=paper`.
///
/// Where the hull can be carried on (growing_hull.h), as in `sculpt`, the learner does not stop at a number
/// of examples that somebody thought of: it looks at the first ones, then at twice as many, and so on, and
/// ends as soon as a layer passes its check on held-back examples, or at its budget.
extern const Method sculpt_method;
/// The paper's route in every phase.
extern const Method paper_method;

}  // namespace hardhead::learner
