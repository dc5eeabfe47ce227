#pragma once
#include <string>
#include <vector>

#include "base/run/run_context.h"

namespace hardhead::experiments {

/// One test of this build on this machine.
struct SelfTest {
  std::string name;    ///< what holds if it passes
  std::string reason;  ///< why it does not; empty if it does
  double seconds = 0;  ///< how long it took

  /// Whether it passed.
  bool ok() const { return reason.empty(); }
};

/// Runs all tests, which take ten seconds at most: a layer is learnt, exact labels are compared with a
/// forward pass, a transform is inverted, a secret is found and verified, a file is read as it was written. A
/// test that throws an exception has failed. Throws Stopped.
std::vector<SelfTest> self_test(const RunContext& context);

}  // namespace hardhead::experiments
