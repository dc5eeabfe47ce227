#pragma once
#include "attention/layer.h"
#include "attention/sample_source.h"

namespace hardhead::study {

/// Relative squared error of `layer` on examples 0 .. count - 1 of `source`,
///
///     sum_n ||Y_n - Fhat(X_n)||^2 / sum_n ||Y_n||^2     (Frobenius, k x d),
///
/// in double. `layer` null is the predictor that says zero: its error is 1. If every label is 0, the error is
/// 0 for predictions that are all 0 and infinite otherwise. Block sums are joined in a fixed tree: the result
/// is the same for any number of threads. `count` is cut to source.size().
double test_error(const attention::Layer* layer, const attention::SampleSource& source, std::int64_t count);

namespace detail {
/// numerator / denominator with the convention for labels that are all 0.
double relative(double numerator, double denominator);
}  // namespace detail

}  // namespace hardhead::study
