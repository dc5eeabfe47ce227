#pragma once
#include <string>

namespace hardhead::learner {

/// Thrown where the examples do not suffice to go on: too few rows were certified, or a linear programme over
/// them has no answer. Recorder::record() turns it into a report whose failed phase is the one under way.
struct InsufficientData {
  std::string message;  ///< what is missing
};

}  // namespace hardhead::learner
