#include "learner/gradient/optimiser.h"

#include <cmath>
#include <numbers>

namespace hardhead::learner {

Optimiser::Optimiser(UpdateRule rule, double momentum, const FloatMatrix& like, Index theta_rows)
    : rule_(rule),
      momentum_(static_cast<float>(momentum)),
      theta_rows_(theta_rows),
      first_(FloatMatrix::Zero(like.rows(), like.cols())) {
  if (rule != UpdateRule::sgd) second_ = first_;
}

void Optimiser::step(const FloatMatrix& gradient, double rate, FloatMatrix& parameters) {
  ++steps_;
  switch (rule_) {
    case UpdateRule::adam:
      return adam_step(gradient, rate, 0, parameters);
    case UpdateRule::sgd:
      first_ = momentum_ * first_ + gradient;
      parameters -= static_cast<float>(rate) * first_;
      return;
    case UpdateRule::sign_sgd: {
      auto mean = first_.topRows(theta_rows_);
      mean = momentum_ * mean + (1 - momentum_) * gradient.topRows(theta_rows_);
      parameters.topRows(theta_rows_) -= static_cast<float>(rate) * mean.cwiseSign();
      return adam_step(gradient, rate, theta_rows_, parameters);
    }
  }
}

// Of the rows `from` on.
void Optimiser::adam_step(const FloatMatrix& gradient, double rate, Index from, FloatMatrix& parameters) {
  constexpr double keep_first = 0.9, keep_second = 0.999;
  constexpr float least = 1e-8F;
  const Index rows = gradient.rows() - from;
  const auto g = gradient.bottomRows(rows);
  auto first = first_.bottomRows(rows), second = second_.bottomRows(rows);
  first += static_cast<float>(1 - keep_first) * (g - first);
  second += static_cast<float>(1 - keep_second) * (g.cwiseAbs2() - second);
  const auto first_scale = static_cast<float>(rate / (1 - std::pow(keep_first, steps_)));
  const auto second_scale = static_cast<float>(1 / (1 - std::pow(keep_second, steps_)));
  parameters.bottomRows(rows).array() -=
      first_scale * first.array() / ((second_scale * second.array()).sqrt() + least);
}

double rate_left(RateSchedule schedule, double done) {
  switch (schedule) {
    case RateSchedule::cosine:
      return (1 + std::cos(std::numbers::pi * done)) / 2;
    case RateSchedule::linear:
      return 1 - done;
    default:
      return 1;
  }
}

}  // namespace hardhead::learner
