#pragma once
#include "base/run/stop_token.h"
#include "learner/factors/factors.h"

namespace hardhead::learner {

/// Heads in factors.
struct FactoredHeads {
  Factors factors;     ///< their number and ranks
  Stacked parameters;  ///< as Factors has them
};

/// The heads of a layer in factors of the least rank that holds every Theta_i, and of the least that holds
/// every W_i, where a singular value of at most `small` times the largest of its matrix counts as 0. Neither
/// rank exceeds that of `most`, and for small = 0 they are those of `most`. With singular values S and right
/// singular vectors R of Theta_i, those that are kept, Q_i = Theta_i R S^(-1/2) and K_i = R S^(1/2); V_i and
/// O_i alike. Singular values are roots of eigenvalues of Theta_i^T Theta_i, so that those below 1e-8 times
/// the largest are rounding errors. Throws Stopped.
FactoredHeads without_spare_rank(const attention::Layer& layer, const Factors& most, double small,
                                 const StopToken& stop = {});

}  // namespace hardhead::learner
