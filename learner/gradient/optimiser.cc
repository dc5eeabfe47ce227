#include "learner/gradient/optimiser.h"

#include <cmath>
#include <numbers>

namespace hardhead::learner {

Optimiser::Optimiser(UpdateRule rule, double momentum, const FloatMatrix& like)
    : rule_(rule),
      momentum_(static_cast<float>(momentum)),
      first_(FloatMatrix::Zero(like.rows(), like.cols())) {
  if (rule == UpdateRule::adam) second_ = first_;
}

void Optimiser::step(const FloatMatrix& gradient, double rate, FloatMatrix& parameters) {
  ++steps_;
  switch (rule_) {
    case UpdateRule::adam: {
      constexpr double keep_first = 0.9, keep_second = 0.999;
      constexpr float least = 1e-8F;
      const auto first_scale = static_cast<float>(rate / (1 - std::pow(keep_first, steps_)));
      const auto second_scale = static_cast<float>(1 / (1 - std::pow(keep_second, steps_)));
      first_ += static_cast<float>(1 - keep_first) * (gradient - first_);
      second_ += static_cast<float>(1 - keep_second) * (gradient.cwiseAbs2() - second_);
      parameters.array() -= first_scale * first_.array() / ((second_scale * second_.array()).sqrt() + least);
      return;
    }
    case UpdateRule::sgd:
      first_ = momentum_ * first_ + gradient;
      parameters -= static_cast<float>(rate) * first_;
      return;
    case UpdateRule::sign_sgd:
      first_ = momentum_ * first_ + (1 - momentum_) * gradient;
      parameters -= static_cast<float>(rate) * first_.cwiseSign();
      return;
  }
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
