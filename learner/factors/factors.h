#pragma once
#include <cstdint>

#include "base/run/stop_token.h"
#include "learner/objective/loss.h"

namespace hardhead::learner {

/// Heads in factors, Theta_i = Q_i K_i^T of rank `form` and W_i = V_i O_i of rank `value`.
///
/// Their parameters on top of each other are the rows of one matrix of d columns: Q_i^T of all heads, then
/// K_i^T, V_i^T and O_i, `form` or `value` rows each.
struct Factors {
  Index m = 0;      ///< heads
  Index form = 0;   ///< rank of the Theta_i, 1 .. d
  Index value = 0;  ///< rank of the W_i, 1 .. d

  Index rows() const { return 2 * m * (form + value); }  ///< of the stacked parameters
  Index query(Index i) const { return i * form; }        ///< first row of Q_i^T
  Index key(Index i) const { return (m + i) * form; }    ///< first row of K_i^T
  Index values(Index i) const {                          ///< first row of V_i^T
    return 2 * m * form + i * value;
  }
  Index outputs() const { return m * (2 * form + value); }       ///< first row of all O_i
  Index output(Index i) const { return outputs() + i * value; }  ///< first row of O_i

  /// Dimension of the layers that have such factors, in their space: a d x d matrix of rank r has r (2 d -
  /// r).
  std::int64_t unknowns(Index d) const { return m * (form * (2 * d - form) + value * (2 * d - value)); }
  bool operator==(const Factors&) const = default;  ///< the same heads
  /// The layer with these stacked parameters.
  Layer layer(const Stacked& parameters) const;
};

/// Least number of examples that can determine a layer of such heads: ceil(unknowns / (k d)). For ranks d it
/// is counting_bound (learner.h).
std::int64_t counting_bound(const Factors& factors, Index d, Index k);
/// Least number that can determine the Theta_i, ceil(r (2 d - r) / (k (k - 1))) with r = `form`, whatever m
/// is; for rank d pattern_bound (learner.h).
std::int64_t pattern_bound(const Factors& factors, Index d, Index k);

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
FactoredHeads without_spare_rank(const Layer& layer, const Factors& most, double small,
                                 const StopToken& stop = {});

}  // namespace hardhead::learner
