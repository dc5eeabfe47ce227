#include "study/run/test_error.h"

#include <algorithm>
#include <memory>

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

  void add(const attention::RowMatrix& truth, const attention::RowMatrix& said) {
    residual += (truth - said).squaredNorm();
    label += truth.squaredNorm();
  }
  void join(const Sums& other) {
    residual += other.residual;
    label += other.label;
  }
};

struct SumsBesideNull {
  Sums all;
  statistics::RatioSums pairs;
};

/// Squared norm of each example's part of `values`, columns as in Block.
RowVector by_example(const attention::RowMatrix& values, const Block& block) {
  RowVector out = RowVector::Zero(block.count);
  for (Index a = 0; a < block.k; ++a)
    out += values.middleCols(a * block.count, block.count).colwise().squaredNorm();
  return out;
}

TestErrors errors_on(const attention::ExampleRange& examples, const Answers& answers, const Problem& problem,
                     const RunContext& context) {
  const auto add = [&](SumsBesideNull& partial, std::int64_t first, Block& block) {
    const attention::RowMatrix truth = block.y;
    const RowVector null = problem.null_affine
                               ? by_example(truth - predictions(*problem.null_affine, block), block)
                               : RowVector(problem.null_error * by_example(truth, block));
    answers(first, block);
    const RowVector residual = by_example(truth - block.y, block);
    for (Index n = 0; n < block.count; ++n) partial.pairs.add(residual(n), null(n));
    partial.all.add(truth, block.y);
  };
  const auto join = [](SumsBesideNull& left, const SumsBesideNull& right) {
    left.all.join(right.all);
    left.pairs.join(right.pairs);
  };
  const SumsBesideNull sums =
      attention::reduce_blocks(examples, Reduction{SumsBesideNull{}, add, join}, context, "test");
  return {attention::relative_error(sums.all.residual, sums.all.label), sums.pairs};
}

}  // namespace

Answers answers_of(const attention::Layer& layer) {
  const auto forward = std::make_shared<const attention::Forward>(layer);
  return [forward](std::int64_t, Block& block) {
    attention::Forward::Workspace workspace;
    forward->apply(block, workspace);
  };
}

double test_error(const attention::Layer& layer, const attention::SampleSource& source, std::int64_t count,
                  const RunContext& context) {
  const Answers answers = answers_of(layer);
  const auto add = [&](Sums& partial, std::int64_t first, Block& block) {
    const attention::RowMatrix truth = block.y;
    answers(first, block);
    partial.add(truth, block.y);
  };
  const auto join = [](Sums& left, const Sums& right) { left.join(right); };
  const Sums sums = attention::reduce_blocks({source, 0, std::min(count, source.size())},
                                             Reduction{Sums{}, add, join}, context, "test");
  return attention::relative_error(sums.residual, sums.label);
}

TestErrors errors_beside_null(const attention::Layer& layer, const Problem& problem,
                              const RunContext& context) {
  return errors_beside_null(answers_of(layer), problem, context);
}

TestErrors errors_beside_null(const Answers& answers, const Problem& problem, const RunContext& context) {
  return errors_on({*problem.test, 0, std::min(problem.test_count, problem.test->size())}, answers, problem,
                   context);
}

TestErrors errors_beside_null(const learner::HeldBackAnswers& held_back, const Problem& problem,
                              const RunContext& context) {
  return errors_on({*problem.clean_training, held_back.first, held_back.count}, held_back.answers, problem,
                   context);
}

double test_error_bytes(const attention::PassShape& shape) {
  // Of a thread: a block, true labels, features for the null predictor, residuals, the forward pass.
  const double block = attention::example_bytes(shape.d, shape.k, attention::block_size);
  return attention::forward_bytes(shape) + threads() * (5 * block + attention::workspace_bytes(shape).apply);
}

}  // namespace hardhead::study
