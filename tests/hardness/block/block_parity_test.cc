#include "hardness/block/block_parity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/hardness/make.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::Index;

/// X number first, first + 1, .. of all of d features.
Block inputs(Index d, Index first, Index count) {
  Block block(d, 2, count);
  for (Index n = 0; n < count; ++n)
    for (Index a = 0; a < 2; ++a)
      for (Index f = 0; f < d; ++f)
        block.x(f, block.column(a, n)) = ((first + n) >> (a * d + f) & 1) != 0 ? -1 : 1;
  return block;
}
Block all_inputs(Index d) {
  return inputs(d, 0, Index{1} << (2 * d));
}

Rational value_at(const UnitInterpolation& network, const Rational& z) {
  Rational out = network.start;
  for (std::size_t i = 0; i < network.knots.size(); ++i)
    if (z > network.knots[i]) out += network.weights[i] * (z - network.knots[i]);
  return out;
}

TEST(BlockParity, NetworkMeetsTheParityExactlyAndIsOdd) {
  for (const std::int64_t base : {2, 3, 4})
    for (Index m = 1; m <= 12; ++m) {
      const UnitInterpolation network = block_parity_network(m, base);
      EXPECT_EQ(static_cast<Index>(network.knots.size()), block_parity_units(m));
      for (Index h = 0; h <= m; ++h) {
        const Rational y = block_parity_value(m, base, h), g = h % 2 == 0 ? -2 : 2;
        EXPECT_EQ(value_at(network, y), g) << m << " " << h;
        EXPECT_EQ(value_at(network, -y), -g) << m << " " << h;
      }
      EXPECT_EQ(value_at(network, 1), 0);
      EXPECT_EQ(value_at(network, -1), 0);
    }
}

TEST(BlockParity, HeadHasTheValuesOfTheHeader) {
  // The exact value of one step, by the definition of the layer.
  for (const Index m : {3, 4}) {
    const Index d = m + 2;
    attention::ExactLayer layer{d, 3, {{{}, {{d - 1, 0, 1}}}}};
    for (Index j = 0; j < m; ++j) layer.heads[0].theta.push_back({j, j, 2});
    layer.heads[0].theta.push_back({d - 1, d - 1, -block_parity_twice_step(m)});
    for (Index h = 0; h <= m; ++h) {
      std::vector<int> x(static_cast<std::size_t>(2 * d), 1);
      for (Index j = 0; j < h; ++j) x[static_cast<std::size_t>(d + j)] = -1;
      EXPECT_EQ(evaluate(layer, x)[0], 1);  // the switch is off
      x[static_cast<std::size_t>(2 * d - 1)] = -1;
      EXPECT_EQ(evaluate(layer, x)[0], block_parity_value(m, 3, h));
      EXPECT_EQ(evaluate(layer, x)[static_cast<std::size_t>(d)], -block_parity_value(m, 3, h));
    }
  }
}

TEST(BlockParity, LabelsAreThoseOfTheParityLayerOnEveryInput) {
  for (const char* parameters : {"d=4,m=1", "d=5,m=2", "d=6,m=3", "d=7,m=6", "d=8,m=4", "d=10,m=7"}) {
    const Instance block = make(fmt::format("block-parity:{},seed=3", parameters)),
                   parity = make(fmt::format("parity:{},seed=3", parameters));
    EXPECT_EQ(block.hidden, parity.hidden);
    EXPECT_EQ(block.layer.m(), 1);
    const Index d = block.layer.d, all = Index{1} << (2 * d), at_once = std::min<Index>(all, 1 << 14);
    for (Index first = 0; first < all; first += at_once) {
      Block of_block = inputs(d, first, at_once), of_parity = of_block;
      block.teacher->label(of_block);
      parity.teacher->label(of_parity);
      ASSERT_TRUE(of_block.y == of_parity.y) << parameters << ", X from " << first;
    }
    EXPECT_EQ(*block.null.exact_error, *parity.null.exact_error);
  }
}

TEST(BlockParity, ForwardPassOfTheRoundedLayerAgreesWithTheLabels) {
  double largest = 0;
  for (const char* parameters : {"d=6,m=3", "d=7,m=6", "d=8,m=7", "d=6,m=4,base=4"}) {
    const Instance instance = make(fmt::format("block-parity:{}", parameters));
    Block labels = all_inputs(instance.layer.d), pass = labels;
    instance.teacher->label(labels);
    attention::LayerTeacher(instance.layer).label(pass);
    largest = std::max(largest, (labels.y - pass.y).cwiseAbs().maxCoeff());
  }
  RecordProperty("largest_error", fmt::format("{:.2g}", largest));
  EXPECT_LE(largest, 1e-11);
  EXPECT_GT(largest, 0);
}

TEST(BlockParity, RefusesWhatDoublesDoNotTellApart) {
  EXPECT_NO_THROW(instance_shape(Spec::parse("block-parity:d=60,m=40")));
  EXPECT_THROW(instance_shape(Spec::parse("block-parity:d=60,m=21,base=4")), InputError);
  EXPECT_THROW(instance_shape(Spec::parse("block-parity:d=4,m=4")), InputError);
}

}  // namespace
}  // namespace hardhead::hardness
