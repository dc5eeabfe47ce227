#pragma once
#include "sq/oracle/policy.h"

/// The policies, in the order they are listed. A line is a policy: x(NAME) stands for NAME_policy(), which
/// the policy's own file defines.
// clang-format off
#define HARDHEAD_POLICIES(x) \
  x(honest)                  \
  x(random)                  \
  x(rounding)
// clang-format on

namespace hardhead::sq::detail {

#define HARDHEAD_POLICY(name) Policy name##_policy();
HARDHEAD_POLICIES(HARDHEAD_POLICY)
#undef HARDHEAD_POLICY

}  // namespace hardhead::sq::detail
