#include "learner/gradient/optimiser.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hardhead::learner {
namespace {

FloatMatrix one(float value) {
  return FloatMatrix::Constant(1, 1, value);
}

// Where x, a number of Theta or of W, ends after gradients 1, -2 and 0.5 with rate 0.1.
float after_three(UpdateRule rule, double momentum, attention::Index theta_rows = 1) {
  FloatMatrix x = one(3);
  Optimiser optimiser(rule, momentum, x, theta_rows);
  for (const float gradient : {1.0F, -2.0F, 0.5F}) optimiser.step(one(gradient), 0.1, x);
  return x(0, 0);
}

TEST(Optimiser, FollowsAdam) {
  double x = 3, a = 0, b = 0;
  int t = 0;
  for (const double g : {1.0, -2.0, 0.5}) {
    ++t;
    a = 0.9 * a + 0.1 * g;
    b = 0.999 * b + 0.001 * g * g;
    x -= 0.1 * (a / (1 - std::pow(0.9, t))) / (std::sqrt(b / (1 - std::pow(0.999, t))) + 1e-8);
  }
  EXPECT_NEAR(after_three(UpdateRule::adam, 0), x, 1e-5);
  EXPECT_EQ(after_three(UpdateRule::sign_sgd, 0.5, 0), after_three(UpdateRule::adam, 0)) << "W";
}

TEST(Optimiser, FollowsMomentum) {
  EXPECT_NEAR(after_three(UpdateRule::sgd, 0), 3 - 0.1 * (1 - 2 + 0.5), 1e-6);
  // 1, then -2 + 0.5, then 0.5 - 0.75.
  EXPECT_NEAR(after_three(UpdateRule::sgd, 0.5), 3 - 0.1 * (1 - 1.5 - 0.25), 1e-6);
}

TEST(Optimiser, FollowsSigns) {
  EXPECT_NEAR(after_three(UpdateRule::sign_sgd, 0), 3 - 0.1 * (1 - 1 + 1), 1e-6);
  // 0.5, then -0.75, then -0.125.
  EXPECT_NEAR(after_three(UpdateRule::sign_sgd, 0.5), 3 - 0.1 * (1 - 1 - 1), 1e-6);
  FloatMatrix x = one(1);
  Optimiser(UpdateRule::sign_sgd, 0, x, 1).step(one(0), 0.1, x);
  EXPECT_EQ(x(0, 0), 1) << "no gradient, no step";
}

TEST(RateSchedule, GoesFromOneToItsEnd) {
  for (const RateSchedule schedule : {RateSchedule::cosine, RateSchedule::linear, RateSchedule::constant})
    EXPECT_EQ(rate_left(schedule, 0), 1);
  EXPECT_NEAR(rate_left(RateSchedule::cosine, 0.5), 0.5, 1e-12);
  EXPECT_NEAR(rate_left(RateSchedule::cosine, 1), 0, 1e-12);
  EXPECT_EQ(rate_left(RateSchedule::linear, 0.25), 0.75);
  EXPECT_EQ(rate_left(RateSchedule::constant, 1), 1);
}

}  // namespace
}  // namespace hardhead::learner
