#include "study/run/test_error.h"

#include <algorithm>
#include <optional>

#include "attention/forward/forward.h"
#include "attention/samples/reduce_blocks.h"
#include "attention/samples/relative_error.h"

namespace hardhead::study {
namespace {

using attention::Block;
using attention::Index;
using RowVector = Eigen::RowVectorXd;

struct Sums {
  double residual = 0, label = 0;
};

/// Squared norm of each example's part of `values`, columns as in Block.
RowVector by_example(const attention::RowMatrix& values, const Block& block) {
  RowVector out = RowVector::Zero(block.count);
  for (Index a = 0; a < block.k; ++a)
    out += values.middleCols(a * block.count, block.count).colwise().squaredNorm();
  return out;
}

}  // namespace

double test_error(const attention::Layer* layer, const attention::SampleSource& source, std::int64_t count) {
  if (layer == nullptr) return 1;
  const attention::Forward forward(*layer);
  const Sums sums = attention::reduce_blocks({source, 0, std::min(count, source.size())},
                                             Reduction{Sums{},
                                                       [&](Sums& partial, std::int64_t, Block& block) {
                                                         const attention::RowMatrix truth = block.y;
                                                         attention::Forward::Workspace workspace;
                                                         forward.apply(block, workspace);
                                                         partial.residual += (truth - block.y).squaredNorm();
                                                         partial.label += truth.squaredNorm();
                                                       },
                                                       [](Sums& left, const Sums& right) {
                                                         left.residual += right.residual;
                                                         left.label += right.label;
                                                       }},
                                             RunContext{}, "test");
  return attention::relative_error(sums.residual, sums.label);
}

statistics::RatioSums errors_beside_null(const attention::Layer* layer, const Problem& problem) {
  const std::optional<attention::Forward> forward =
      layer == nullptr ? std::nullopt : std::optional<attention::Forward>(*layer);
  const auto add = [&](statistics::RatioSums& partial, std::int64_t, Block& block) {
    const attention::RowMatrix truth = block.y;
    const RowVector null = problem.null_affine
                               ? by_example(truth - predictions(*problem.null_affine, block), block)
                               : RowVector(problem.null_error * by_example(truth, block));
    attention::Forward::Workspace workspace;
    if (forward)
      forward->apply(block, workspace);
    else
      block.y.setZero();
    const RowVector residual = by_example(truth - block.y, block);
    for (Index n = 0; n < block.count; ++n) partial.add(residual(n), null(n));
  };
  const auto join = [](statistics::RatioSums& left, const statistics::RatioSums& right) { left.join(right); };
  return attention::reduce_blocks({*problem.test, 0, std::min(problem.test_count, problem.test->size())},
                                  Reduction{statistics::RatioSums{}, add, join}, RunContext{}, "test");
}

double test_error_bytes(const attention::PassShape& shape) {
  // Of a thread: a block, true labels, features for the null predictor, residuals, the forward pass.
  const double block = attention::example_bytes(shape.d, shape.k, attention::block_size);
  return attention::forward_bytes(shape) + threads() * (5 * block + attention::workspace_bytes(shape).apply);
}

}  // namespace hardhead::study
