#pragma once
#include "queries/learner.h"

/// The learners by queries, in the order they are listed. A line is a learner: x(NAME) stands for
/// NAME_learner(), which the learner's own file defines.
// clang-format off
#define HARDHEAD_QUERY_LEARNERS(x) \
  x(single)                        \
  x(mobius)                        \
  x(rational)                      \
  x(flip)                          \
  x(chain)                         \
  x(external)
// clang-format on

namespace hardhead::queries::detail {

#define HARDHEAD_QUERY_LEARNER(name) QueryLearner name##_learner();
HARDHEAD_QUERY_LEARNERS(HARDHEAD_QUERY_LEARNER)
#undef HARDHEAD_QUERY_LEARNER

}  // namespace hardhead::queries::detail
