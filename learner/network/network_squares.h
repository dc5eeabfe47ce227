#pragma once
#include <vector>

#include "attention/layer/network.h"
#include "base/text/option_table.h"
#include "learner/fits/gauss_newton.h"

namespace hardhead::learner {

/// The options of a learner that fits a network behind its heads. By default it has no units.
OptionTable<NetworkShape> network_rows(std::string units_meaning);

/// Heads and the network behind them as one matrix: stack() of the heads, then to_rows() of the network.
Stacked stack_all(const Layer& layer);
/// The inverse.
Layer unstack_all(const NetworkShape& shape, const Stacked& stacked);

/// The problem of fitting heads and the network behind them at once, for GaussNewton. With u = F(X)_r (and
/// x_r), z = A u + a and e = 1 where z > 0,
///
///     dz = e o (A du + dA u + da),   dT = [du] + B dz + dB relu(z) + db
///
/// behind the du of the heads, and the adjoint in the same order. Examples are attended again for each
/// product: nothing is kept. The preconditioner is K-FAC (network_squares.cc).
///
/// The examples must outlive it.
FitProblem layers_with_network(const std::vector<Block>& training, const NetworkShape& shape,
                               const StopToken& stop);

/// A GaussNewton on heads and network that has run to its end. Throws Stopped.
GaussNewtonResult fit_with_network(const std::vector<Block>& training, const std::vector<Block>& holdout,
                                   const Layer& start, const GaussNewtonOptions& options,
                                   const RunContext& context, std::string_view phase);

/// A layer with fewer units behind its heads, which is nearly the same on these examples. With G the Gram
/// matrix of relu(A u + a) and of 1 over all rows, leaving unit j out costs
///
///     ||B_j||^2 / (G^-1)_jj
///
/// of squared error if all others take over what they can of it, B_l += B_j G^-1_lj / G^-1_jj. The cheapest
/// goes, as long as all that go cost at most `allowed` sum ||Y||^2 together; one stays. Throws Stopped.
Layer without_spare_units(const Layer& layer, const std::vector<Block>& blocks, double allowed,
                          const StopToken& stop);

/// Bytes that such a fit takes at most, besides its examples.
double network_fit_bytes(const PassShape& pass, const NetworkShape& shape, std::int64_t examples);

}  // namespace hardhead::learner
