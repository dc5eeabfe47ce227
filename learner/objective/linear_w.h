#pragma once
#include <vector>

#include "attention/forward/block.h"
#include "attention/forward/memory.h"
#include "base/run/stop_token.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// The layer with the given attention forms and the best projections for them: with z_i the attended mean
/// tokens of head i, the W_i minimise sum ||y_r - sum_i W_i^T z_i||^2 over all rows of the blocks, a linear
/// least squares problem in m d unknowns a column, by ridge_solve: equal heads do no harm.
/// Throws Stopped.
Layer fit_w(const std::vector<Block>& blocks, const std::vector<Matrix>& thetas, const StopToken& stop = {});
/// Bytes that it takes besides the blocks of this many examples, at most.
double fit_w_bytes(const PassShape& shape, std::int64_t examples);

/// sum ||F(X) - Y||^2 / sum ||Y||^2 of a layer over the blocks, by the rule of
/// attention/samples/relative_error.h. Throws Stopped.
double relative_error(const std::vector<Block>& blocks, const Layer& layer, const StopToken& stop = {});
/// Bytes that it takes besides the blocks and the layer, at most.
double relative_error_bytes(const PassShape& shape);

}  // namespace hardhead::learner
