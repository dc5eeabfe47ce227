#pragma once
#include <array>

#include "learner/gradient/student.h"

namespace hardhead::learner {

/// How a step follows from the gradient g of a batch; x are the parameters. All from x_0 with state 0.
enum class UpdateRule {
  /// a <- 0.9 a + 0.1 g, b <- 0.999 b + 0.001 g^2, x <- x - rate a_hat / (sqrt(b_hat) + 1e-8), where
  /// a_hat = a / (1 - 0.9^t) and b_hat = b / (1 - 0.999^t) after t steps (D. Kingma, J. Ba, "Adam: a method
  /// for stochastic optimization", 2015).
  adam,
  /// a <- momentum a + g, x <- x - rate a (B. Polyak, 1964).
  sgd,
  /// For the Theta_i a <- momentum a + (1 - momentum) g, x <- x - rate sign(a) (signSGD: J. Bernstein et
  /// al., 2018; without momentum the rule of Y. Kou et al., "Matching the statistical query lower bound for
  /// k-sparse parity problems with sign stochastic gradient descent", 2024); for the W_i the rule of Adam: on
  /// their way to many small weights steps of one length do not end.
  sign_sgd
};

/// A rule with its state.
class Optimiser {
 public:
  /// For parameters of the shape of `like`, whose first `theta_rows` rows are the Theta_i (student.h).
  Optimiser(UpdateRule rule, double momentum, const FloatMatrix& like, Index theta_rows);

  /// One step.
  void step(const FloatMatrix& gradient, double rate, FloatMatrix& parameters);

 private:
  void adam_step(const FloatMatrix& gradient, double rate, Index from, FloatMatrix& parameters);

  UpdateRule rule_;
  float momentum_;
  Index theta_rows_;
  FloatMatrix first_, second_;
  int steps_ = 0;
};

/// How the rate goes down over the steps of a descent.
enum class RateSchedule {
  cosine,   ///< rate / 2 (1 + cos(pi t / T))
  linear,   ///< rate (1 - t / T)
  constant  ///< rate
};

/// The part of the first rate that is left when `done`, in [0, 1], of the steps are taken.
double rate_left(RateSchedule schedule, double done);

constexpr auto enum_names(RateSchedule) {
  return std::to_array<EnumName<RateSchedule>>({{RateSchedule::cosine, "cosine"},
                                                {RateSchedule::linear, "linear"},
                                                {RateSchedule::constant, "constant"}});
}

}  // namespace hardhead::learner
