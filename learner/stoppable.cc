#include "learner/stoppable.h"

#include <array>
#include <string>

#include "base/process/child_process.h"
#include "base/run/shared_reduce.h"
#include "learner/recorder.h"

namespace hardhead::learner {
namespace {

constexpr char with_matrices = 'd', with_a_failure = 'f';

std::string packed(const std::vector<Matrix>& matrices) {
  std::string out(1, with_matrices);
  for (const Matrix& matrix : matrices) {
    const std::array<Index, 2> shape{matrix.rows(), matrix.cols()};
    put(out, shape.data(), shape.size());
    put(out, matrix.data(), static_cast<std::size_t>(matrix.size()));
  }
  return out;
}

std::vector<Matrix> unpacked(std::string_view bytes) {
  std::vector<Matrix> out;
  while (!bytes.empty()) {
    std::array<Index, 2> shape{};
    take(bytes, shape.data(), shape.size());
    Matrix& matrix = out.emplace_back(shape[0], shape[1]);
    take(bytes, matrix.data(), static_cast<std::size_t>(matrix.size()));
  }
  return out;
}

}  // namespace

std::vector<Matrix> matrices_by_child(
    const std::function<std::vector<Matrix>(const std::function<void(double)>& progress)>& compute,
    const RunContext& context, std::string_view phase) {
  const std::string answer = run_in_child(
      [&](const std::function<void(double)>& progress) {
        try {
          return packed(compute(progress));
        } catch (const Failed& why) {
          return with_a_failure + why.message;
        }
      },
      context, phase);
  if (answer.front() == with_a_failure) throw Failed{answer.substr(1)};
  return unpacked(std::string_view(answer).substr(1));
}

std::vector<Matrix> stoppable(double operations, const StopToken& stop,
                              const std::function<std::vector<Matrix>()>& compute) {
  constexpr double short_enough = 1e9;  // half a second
  stop.check();
  if (operations < short_enough) return compute();
  RunContext context;
  context.stop = stop;
  return matrices_by_child([&](const auto&) { return compute(); }, context, "mobius");
}

}  // namespace hardhead::learner
