#pragma once
#include "attention/forward/memory.h"
#include "attention/layer/layer.h"
#include "attention/samples/sample_source.h"
#include "base/statistics/ratio_interval.h"
#include "learner/report.h"
#include "study/problem/problem.h"

namespace hardhead::study {

/// Relative squared error of `layer` on examples 0 .. count - 1 of `source`,
///
///     sum_n ||Y_n - Fhat(X_n)||^2 / sum_n ||Y_n||^2     (Frobenius, k x d),
///
/// in double; where labels are all 0, as attention/samples/relative_error.h has it. Block sums are joined in
/// a fixed tree: the result is the same for any number of threads. `count` is cut to source.size().
///
/// Like all that judges a layer, it throws Stopped as `context` says.
double test_error(const attention::Layer& layer, const attention::SampleSource& source, std::int64_t count,
                  const RunContext& context = {});

/// What is said of the test examples.
using learner::Answers;
/// What a layer says, by a forward pass.
Answers answers_of(const attention::Layer& layer);

/// What one pass over the test examples shows of a layer, or of other answers.
struct TestErrors {
  double relative = 1;  ///< test_error()
  /// The layer beside the null predictor, example by example: sums of the pairs
  ///
  ///     ( ||Y_n - Fhat(X_n)||^2,  ||Y_n - null(X_n)||^2 ).
  ///
  /// The ratio of their means is test error / null error. Where the null predictor is not at hand, as its
  /// error is known exactly or it says zero, the second number is null_error ||Y_n||^2.
  statistics::RatioSums beside_null;
};

/// Of a layer on a problem's test examples.
TestErrors errors_beside_null(const attention::Layer& layer, const Problem& problem,
                              const RunContext& context = {});
/// Of other answers.
TestErrors errors_beside_null(const Answers& answers, const Problem& problem, const RunContext& context = {});
/// Of answers for examples that the learner held back, against their labels without noise.
TestErrors errors_beside_null(const learner::HeldBackAnswers& held_back, const Problem& problem,
                              const RunContext& context = {});

/// Bytes that test_error() and errors_beside_null() take at most, besides the layer.
double test_error_bytes(const attention::PassShape& shape);

}  // namespace hardhead::study
