#include "hardness/gadget/switch_gadget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>

#include "attention/forward/forward.h"
#include "base/error.h"
#include "tests/hardness/make.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::EnumerationSource;
using attention::Index;

SwitchGadget gadget(std::vector<std::int64_t> s, Index switch_coordinate, StepWeights steps,
                    std::int64_t base, Rational flat_weight = 0) {
  return {static_cast<Index>(s.size()), switch_coordinate, base, std::move(s), std::move(steps),
          std::move(flat_weight)};
}

std::vector<Rational> values(std::initializer_list<Rational> g) {
  return g;
}

/// Gadgets that between them have every feature: weights beyond 0 and 1, the switch anywhere, W = 0 and not,
/// a flat head, steps put together by hand.
std::vector<SwitchGadget> all_kinds() {
  const auto five = values({3, Rational(-1, 2), 0, 7, Rational(2, 3)});
  StepWeights by_hand;
  by_hand.twice_steps = {1, -3, 5};
  by_hand.weights = {Rational(5, 2), -1, Rational(1, 3)};
  return {gadget({1, 0, 1, 0, 1, 1}, 3, exact_interpolation(five, 4), 4),
          gadget({1, 0, 1, 0, 2}, 1, minimal_steps(five, 2), 2),
          gadget({0, 3, 1, 0, 0}, 0, minimal_steps(five, 5), 5, Rational(-9, 7)),
          gadget({2, 1, 0, 0}, 2, by_hand, 3, Rational(1, 3))};
}

struct Expected {
  bool on;
  long h;
  std::array<Rational, 2> y;  // column 0 of rows 1 and 2
};

/// The stated formula, from x alone.
Expected formula(const SwitchGadget& gadget, std::span<const int> x) {
  const auto d = static_cast<std::size_t>(gadget.d), j0 = static_cast<std::size_t>(gadget.switch_coordinate);
  Expected out{x[j0] != x[d + j0], 0, {}};
  for (std::size_t j = 0; j < d; ++j)
    if (x[j] != x[d + j]) out.h += gadget.s[j];
  Rational g = gadget.flat_weight / 2, w = gadget.flat_weight;
  for (std::size_t i = 0; i < gadget.steps.weights.size(); ++i) {
    w += gadget.steps.weights[i];
    g +=
        gadget.steps.weights[i] / (1 + power(Rational(gadget.base), 2 * out.h - gadget.steps.twice_steps[i]));
  }
  for (std::size_t r = 0; r < 2; ++r) out.y[r] = x[r * d + j0] * (out.on ? Rational(w - 2 * g) : w);
  return out;
}

/// Calls visit(block, n) for every X, labelled by the teacher.
template <class Visit>
void for_every_input(const SwitchGadget& gadget, const Visit& visit) {
  const EnumerationSource source(gadget.teacher(), gadget.d, 2);
  Block block(gadget.d, 2, 16);
  for (std::int64_t first = 0; first < source.size(); first += block.count) {
    source.read(first, block);
    for (Index n = 0; n < block.count; ++n) visit(block, n);
  }
}

TEST(SwitchGadget, ExactEvaluationOfTheLayerIsTheStatedFormulaOnEveryInput) {
  for (const SwitchGadget& g : all_kinds()) {
    const auto layer = g.exact_layer();
    for_every_input(g, [&](const Block& block, Index n) {
      const auto x = tokens(block, n);
      const auto y = attention::evaluate(layer, x);
      const Expected expected = formula(g, x);
      for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t f = 0; f < static_cast<std::size_t>(g.d); ++f)
          ASSERT_EQ(y[r * static_cast<std::size_t>(g.d) + f], f == 0 ? expected.y[r] : Rational(0));
    });
  }
}

TEST(SwitchGadget, LabelsAreTheExactValuesRoundedOnceAndZeroIsPositive) {
  for (const SwitchGadget& g : all_kinds())
    for_every_input(g, [&](const Block& block, Index n) {
      const Expected expected = formula(g, tokens(block, n));
      for (Index r = 0; r < 2; ++r)
        for (Index f = 0; f < g.d; ++f) {
          const double want = f == 0 ? round_to_nearest(expected.y[static_cast<std::size_t>(r)]) : 0.0;
          ASSERT_EQ(std::bit_cast<std::uint64_t>(block.y(f, block.column(r, n))),
                    std::bit_cast<std::uint64_t>(want));
        }
    });
}

TEST(SwitchGadget, LabelsDoNotDependOnTheBlockAnExampleComesIn) {
  const SwitchGadget g = all_kinds()[0];
  const attention::SimulatedSource source(g.teacher(), g.d, 2, attention::Inputs::boolean,
                                          Stream(Domain::test, 3));
  Block all(g.d, 2, 100), one(g.d, 2, 1);
  source.read(0, all);
  for (Index n = 0; n < all.count; ++n) {
    source.read(n, one);
    for (Index r = 0; r < 2; ++r) ASSERT_EQ(all.y.col(all.column(r, n)), one.y.col(r));
  }
}

TEST(SwitchGadget, ForwardPassOfTheRoundedLayerAgreesToTheStatedError) {
  double worst = 0;
  for (const SwitchGadget& g : all_kinds()) {
    const auto layer = g.exact_layer().rounded();
    const attention::Forward forward(layer);
    attention::Forward::Workspace workspace;
    double largest = 0;
    for (const auto& head : layer.heads) largest = std::max(largest, head.w.cwiseAbs().maxCoeff());
    for_every_input(g, [&](const Block& block, Index) {
      Block copy = block;
      forward.apply(copy, workspace);
      worst = std::max(worst, (copy.y - block.y).cwiseAbs().maxCoeff() / largest);
    });
  }
  std::printf("largest error of the forward pass relative to the largest weight: %.2e\n", worst);
  EXPECT_LE(worst, 1e-12);
}

TEST(SwitchGadget, RefusesEachPartThatDoesNotFit) {
  const SwitchGadget good = all_kinds()[0];
  const auto refuses = [&](auto&& spoil, const char* text) {
    SwitchGadget bad = good;
    spoil(bad);
    EXPECT_THAT(refusal_of([&] { bad.teacher(); }), testing::HasSubstr(text));
    EXPECT_THROW(bad.exact_layer(), InputError);
  };
  refuses([](auto& g) { g.d = 5; }, "s has 6 entries, d=5");
  refuses([](auto& g) { g.base = 1; }, "base=1");
  refuses([](auto& g) { g.switch_coordinate = 6; }, "switch coordinate 6 is not in 0 .. 5");
  refuses([](auto& g) { g.switch_coordinate = 0; }, "s[0]=1 at the switch coordinate");
  refuses([](auto& g) { g.s[0] = -1; }, "s[0]=-1 is negative");
  refuses([](auto& g) { g.steps.weights.pop_back(); }, "5 weights for 6 steps");
  refuses([](auto& g) { g.s[0] = 2; }, "fitted on 0 .. 4, but s sums to 5");
}

TEST(SwitchGadget, TeacherRefusesBlocksOfAnotherShape) {
  const auto teacher = all_kinds()[0].teacher();
  Block three_tokens(6, 3, 4), wide(7, 2, 4);
  EXPECT_THROW(teacher->label(three_tokens), InputError);
  EXPECT_THROW(teacher->label(wide), InputError);
}

}  // namespace
}  // namespace hardhead::hardness
