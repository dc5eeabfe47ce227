#pragma once
#include <vector>

#include "attention/forward/block.h"

namespace hardhead::learner {

/// The layer with the given attention forms and the best projections for them: with z_i the attended mean
/// tokens of head i, the W_i minimise sum ||y_r - sum_i W_i^T z_i||^2 over all rows of the blocks, a linear
/// least squares problem in m d unknowns a column, by ridge_solve: equal heads do no harm.
attention::Layer fit_w(const std::vector<attention::Block>& blocks,
                       const std::vector<attention::Matrix>& thetas);

/// sum ||F(X) - Y||^2 / sum ||Y||^2 of a layer over the blocks, by the rule of
/// attention/samples/relative_error.h.
double relative_error(const std::vector<attention::Block>& blocks, const attention::Layer& layer);

}  // namespace hardhead::learner
