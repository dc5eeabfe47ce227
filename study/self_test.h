#pragma once
#include <string>
#include <vector>

#include "base/run_control.h"

namespace hardhead::study {

/// One test of this build on this machine.
struct SelfTest {
  std::string name;    ///< what holds if it passes
  std::string reason;  ///< why it does not; empty if it does
  double seconds = 0;  ///< how long it took

  /// Whether it passed.
  bool ok() const { return reason.empty(); }
};

/// In ten seconds at most: a layer learnt, exact labels against a forward pass, a transform and back, a secret found and
/// verified, a file read as it was written. A test that throws an exception has failed. Stopped by `control` (Stopped).
std::vector<SelfTest> self_test(const RunControl& control);

}  // namespace hardhead::study
