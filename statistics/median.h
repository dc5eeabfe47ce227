#pragma once
#include <vector>

namespace hardhead::statistics {

/// Middle value, or the mean of the two middle ones; NaN for none. NaN entries sort last.
double median(std::vector<double> values);

}  // namespace hardhead::statistics
