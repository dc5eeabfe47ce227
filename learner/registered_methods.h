#pragma once
#include "learner/method.h"

/// The learners, in the order they are listed. A line is a learner: x(NAME) stands for NAME_method, which the
/// learner's own file defines.
// clang-format off
#define HARDHEAD_METHODS(x) \
  x(sculpt)                 \
  x(paper)                  \
  x(gauss_newton)           \
  x(network_newton)         \
  x(lbfgs)                  \
  x(adam)                   \
  x(sgd)                    \
  x(sign_sgd)               \
  x(phase_one)              \
  x(program)                \
  x(single)                 \
  x(mobius)                 \
  x(rational)               \
  x(flip)                   \
  x(chain)                  \
  x(compose)                \
  x(walsh)                  \
  x(table)
// clang-format on

namespace hardhead::learner {

#define HARDHEAD_METHOD(name) extern const Method name##_method;
HARDHEAD_METHODS(HARDHEAD_METHOD)
#undef HARDHEAD_METHOD

}  // namespace hardhead::learner
