#pragma once
#include <optional>
#include <vector>

#include "learner/fits/gauss_newton.h"

namespace hardhead::learner {

/// Heads that a fit has found with the wrong sign.
///
/// The heads (Theta, W) and (-Theta, -W) agree to first order in Theta but for a multiple of the mean token;
/// with two tokens, where softmax(-l) = 1 - softmax(l), they do so exactly:
///
///     head(-Theta, -W) = head(Theta, W) - 2 mean(X) W.
///
/// Where all other heads have to make up for that multiple, a fit ends in a local minimum, which is the
/// shallower the more heads there are. One more head of uniform attention, Theta_0 = 0, makes up for it
/// alone, with W_0 = -2 (sum of the W_i of the wrong sign), and tells which they are: the shares c_i that
/// minimise ||W_0 + 2 sum_i c_i W_i|| are then 1 for them and 0 for the others.

/// The shares c_i of all heads but the last one of `wide`, whose attention is taken for uniform.
Vector turned_shares(const Layer& wide);

/// All heads of `wide` but the last, with -Theta_i where the share is above 1/2, and the W_i by least
/// squares.
Layer with_heads_turned(const std::vector<Block>& training, const Layer& wide, const Vector& shares,
                        const StopToken& stop = {});

/// A better start from where a fit ended, and what it took to find it.
struct TurnedHeads {
  std::optional<Layer> start;  ///< none where no head has the wrong sign
  int iterations = 0;          ///< of the fit with one more head
  int inner_steps = 0;         ///< the same
};
/// Where some W_0 beside the fitted heads has a share that hints at a wrong sign, fits one head more,
/// roughly, and turns the heads that it shows. Throws Stopped.
TurnedHeads turned_heads(const std::vector<Block>& training, const std::vector<Block>& holdout,
                         const Layer& fitted, GaussNewtonOptions options, const RunContext& context);

/// A layer of one head fewer that may label the examples as `layer` does, after a fit from there: without one
/// of its heads, or without the one of the smallest Theta if others are turned for it, with the W_i by least
/// squares. None where no such layer has a relative error of `most_error` or less, or where `layer` has one
/// head. Costs a few passes over the examples for each head. Throws Stopped.
std::optional<Layer> without_a_spare_head(const std::vector<Block>& training, const Layer& layer,
                                          double most_error, const StopToken& stop = {});

}  // namespace hardhead::learner
