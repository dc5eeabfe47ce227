#pragma once
#include "attention/forward/block.h"
#include "attention/layer/layer.h"

namespace hardhead::attention {

/// The Jacobian of F at the X of a block, by the entries of all Theta_i and W_i. With z and C the mean and
/// the covariance of the tokens under the attention of head i in row r,
///
///     dY[r,e] / dTheta_i[a,b] = x_ra (C W_i)[b,e],      dY[r,e] / dW_i[b,e'] = z_b where e' = e, else 0.
///
/// Rows: entry e of row r of example n is row (n k + r) d + e. Columns: entry (a, b) of Theta_i is column i
/// d^2 + b d + a, and the W_i follow in the same order: (k d count) x (2 m d^2). Throws InputError as
/// Layer::validate().
Matrix jacobian(const Layer& layer, const Block& block);

}  // namespace hardhead::attention
