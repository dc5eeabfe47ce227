#pragma once
#include <string>

#include "attention/layer/layer.h"

/// Networks behind a layer of heads: which of them are one function.
///
/// # What is the same function
/// - Units in another order; a row of A and its a times c > 0, with the column of B over c; units of the same
///   row as one; units without one.
/// - Without a residual, W_i to W_i G and A to A G^-T for any invertible G: only products of both are met.
///   Where W_sum has an inverse, G = W_sum^-1 chooses W_sum = I.
/// - With a residual nothing of the kind: x_r, which is known, stands beside F(X)_r.
namespace hardhead::attention {

/// The same function with W_sum = I, without a residual and where W_sum has an inverse (of reciprocal
/// condition number at least 1e-12); with units of rows [A a] of norm 1, the signs kept, those of B = 0 left
/// out, in the lexicographic order of their rows. As it is without a network.
Layer with_canonical_network(Layer layer);

/// Throws InputError for a layer with a network, which `what` does not speak of.
void heads_alone(const Layer& layer, const std::string& what);

}  // namespace hardhead::attention
