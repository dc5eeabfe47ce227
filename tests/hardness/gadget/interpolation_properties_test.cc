#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "hardness/gadget/interpolation.h"

namespace hardhead::hardness {
namespace {

std::vector<Rational> draw_function() {
  std::vector<Rational> g;
  const int values = *rc::gen::inRange(1, 9);
  for (int h = 0; h < values; ++h) g.emplace_back(*rc::gen::inRange(-1000, 1001), *rc::gen::inRange(1, 100));
  return g;
}

std::int64_t draw_base() {
  return *rc::gen::inRange<std::int64_t>(2, 50);
}

Rational sum_of_weights(const StepWeights& steps) {
  return std::accumulate(steps.weights.begin(), steps.weights.end(), Rational(0));
}

void assert_reproduces(const StepWeights& steps, const std::vector<Rational>& g, std::int64_t base) {
  RC_ASSERT(steps.values.size() == g.size());
  for (std::size_t h = 0; h < g.size(); ++h) {
    RC_ASSERT(evaluate(steps, base, static_cast<long>(h)) == g[h] + steps.offset);
    RC_ASSERT(steps.values[h] == g[h] + steps.offset);
  }
}

RC_GTEST_PROP(InterpolationProperties, ExactStepsReproduceTheFunctionAndSumToZero, ()) {
  const auto g = draw_function();
  const std::int64_t base = draw_base();
  const StepWeights steps = exact_interpolation(g, base);
  RC_ASSERT(steps.weights.size() == g.size() + 1);
  RC_ASSERT(steps.offset == 0);
  RC_ASSERT(sum_of_weights(steps) == 0);
  assert_reproduces(steps, g, base);
}

RC_GTEST_PROP(InterpolationProperties, FewestStepsReproduceTheFunctionButForTheOffset, ()) {
  const auto g = draw_function();
  const std::int64_t base = draw_base();
  const StepWeights steps = minimal_steps(g, base);
  RC_ASSERT(steps.weights.size() == g.size() - 1);
  assert_reproduces(steps, g, base);
}

RC_GTEST_PROP(InterpolationProperties, WeightsAreLinearInTheFunction, ()) {
  const auto f = draw_function(), other = draw_function();
  const std::int64_t base = draw_base();
  const std::size_t size = std::min(f.size(), other.size());
  const std::vector<Rational> g(f.begin(), f.begin() + static_cast<std::ptrdiff_t>(size));
  std::vector<Rational> h(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(size)), sum = g;
  for (std::size_t i = 0; i < size; ++i) sum[i] = 2 * g[i] - 3 * h[i];
  for (const auto fit : {exact_interpolation, minimal_steps}) {
    const StepWeights of_g = fit(g, base), of_h = fit(h, base), of_sum = fit(sum, base);
    for (std::size_t i = 0; i < of_sum.weights.size(); ++i)
      RC_ASSERT(of_sum.weights[i] == 2 * of_g.weights[i] - 3 * of_h.weights[i]);
    RC_ASSERT(of_sum.offset == 2 * of_g.offset - 3 * of_h.offset);
  }
}

// h -> H - h maps the steps to themselves, and sigma(u) to 1 - sigma(u).
RC_GTEST_PROP(InterpolationProperties, AFunctionReadBackwardsHasTheWeightsBackwardsAndNegated, ()) {
  auto g = draw_function();
  const std::int64_t base = draw_base();
  const StepWeights forwards = exact_interpolation(g, base);
  std::ranges::reverse(g);
  StepWeights backwards = exact_interpolation(g, base);
  std::ranges::reverse(backwards.weights);
  for (std::size_t i = 0; i < forwards.weights.size(); ++i)
    RC_ASSERT(forwards.weights[i] == -backwards.weights[i]);
}

}  // namespace
}  // namespace hardhead::hardness
