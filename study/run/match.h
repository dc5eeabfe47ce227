#pragma once
#include <optional>
#include <vector>

#include "attention/layer/canonical.h"
#include "attention/layer/layer.h"
#include "base/run/stop_token.h"

namespace hardhead::study {

/// An estimate's heads paired with the true ones. Both layers are reduced first: heads that are one head
/// count as one, and heads that vanish do not count (attention/layer/canonical.h). The order of heads is not
/// identifiable, nor is their sign where k = 2, so errors of parameters are taken over the pairing, and the
/// signs s_i = +-1 (all +1 unless k = 2), of least total cost
///
///     sum_i ||theta_i - s_i theta'_p(i)||^2 / ||theta_i||^2 + ||w_i - s_i w'_p(i)||^2 / ||w_i||^2
///
/// (Frobenius; a true norm of 0 divides by 1). If both layers have a constant head (theta = 0), these are a
/// pair. A head of the estimate that is turned, s_i = -1, adds 2 w'_p(i) to the estimate's constant head, and
/// the true constant head is compared with the sum. With different numbers of heads, min(m, m') are paired.
struct HeadMatch {
  /// Of true head i: a head of the estimate, if any; the first of several that are one.
  std::vector<std::optional<attention::Index>> partner;
  /// ||theta_i - s_i theta'_p(i)|| / ||theta_i||, in the true heads' order; null where the head has no
  /// partner or the true norm is 0. True heads that are one head have the error of that head.
  std::vector<std::optional<double>> theta_error;
  std::vector<std::optional<double>> w_error;  ///< likewise of w
};

/// As reports have it, without the pairing.
template <class Visit>
void describe(Visit& visit, const HeadMatch*) {
  visit("theta", &HeadMatch::theta_error);
  visit("w", &HeadMatch::w_error);
}

/// For inputs of k tokens; without k only what holds for every k is done, and all signs are +1. Heads of the
/// truth are one, and vanish, by attention::canonical_tolerance, those of an estimate by the tolerance 1e-6,
/// since an estimate is rarely exact.
///
/// If the last feature of all inputs is the constant 1, what it leaves free is taken as the canonical form
/// takes it: the last column of every Theta is 0, and the heads of each layer have equal shares of the sum of
/// the last rows of W.
///
/// Layers with a network behind them are compared with W_sum = I where that is free
/// (attention/layer/network.h).
///
/// Throws InputError if the layers' d differ or a layer is not valid, and Stopped. Takes m m' passes over a
/// pair of heads, in parallel.
HeadMatch match_heads(const attention::Layer& truth, const attention::Layer& estimate,
                      std::optional<attention::Index> k, const StopToken& stop = {},
                      attention::LastFeature last = attention::LastFeature::varies);

/// Layers of more heads are not matched when a run is scored: the time goes as the cube of their number, and
/// is some ten seconds for these.
inline constexpr attention::Index most_matched_heads = 2048;

/// Have both layers at most so many heads, and a network behind them or none alike?
bool can_be_matched(const attention::Layer& truth, const attention::Layer& estimate);

/// Bytes that a match of layers of these numbers of heads takes at most: both reduced, and the estimate's
/// heads in the places of the true ones.
double match_bytes(attention::Index d, attention::Index true_heads, attention::Index heads);

}  // namespace hardhead::study
