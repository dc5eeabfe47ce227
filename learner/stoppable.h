#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "base/run/run_context.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// What compute(progress) returns, or the Failed that it throws, from a child process
/// (base/process/child_process.h: what it may do there, and what is thrown besides).
std::vector<Matrix> matrices_by_child(
    const std::function<std::vector<Matrix>(const std::function<void(double)>& progress)>& compute,
    const RunContext& context, std::string_view phase);

/// What compute() returns, or the Failed that it throws. A decomposition of a large matrix asks no stop
/// token: where about this many operations take longer than a run may be late, they are done in a child
/// process, which is killed when the run is stopped. Throws Stopped.
std::vector<Matrix> stoppable(double operations, const StopToken& stop,
                              const std::function<std::vector<Matrix>()>& compute);

/// Operations of a singular value decomposition by Jacobi rotations of a matrix of these sizes, about.
inline double jacobi_operations(Index rows, Index columns) {
  constexpr double of_rotations = 40;
  const auto n = static_cast<double>(rows < columns ? rows : columns);
  return static_cast<double>(rows) * static_cast<double>(columns) * n + of_rotations * n * n * n;
}

}  // namespace hardhead::learner
