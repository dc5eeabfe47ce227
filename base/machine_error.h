#pragma once
#include "base/error.h"

namespace hardhead {

/// What the machine did to a run, and not the run itself: a process was killed, memory or a disk was full, a
/// program is not installed. It is no result: the same call may succeed the next time.
class MachineError : public Error {
 public:
  using Error::Error;
};

}  // namespace hardhead
