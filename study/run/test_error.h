#pragma once
#include "attention/layer/layer.h"
#include "attention/samples/sample_source.h"

namespace hardhead::study {

/// Relative squared error of `layer` on examples 0 .. count - 1 of `source`,
///
///     sum_n ||Y_n - Fhat(X_n)||^2 / sum_n ||Y_n||^2     (Frobenius, k x d),
///
/// in double; where labels are all 0, as attention/samples/relative_error.h has it. `layer` null is the
/// predictor that says zero: its error is 1. Block sums are joined in a fixed tree: the result is the same
/// for any number of threads. `count` is cut to source.size().
double test_error(const attention::Layer* layer, const attention::SampleSource& source, std::int64_t count);

}  // namespace hardhead::study
