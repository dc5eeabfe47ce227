#include "attention/forward/single_forward.h"

#include <gtest/gtest.h>

#include <array>

#include "attention/forward/forward.h"
#include "attention/samples/inputs.h"
#include "tests/simd_targets.h"

namespace hardhead::attention {
namespace {

Layer single_layer(Index d, Index m, double theta, double w) {
  Layer layer{d, {}};
  const Stream stream(Domain::instance, 5);
  for (Index i = 0; i < m; ++i) {
    Head head{Matrix(d, d), Matrix(d, d)};
    const auto entries = static_cast<std::size_t>(d * d);
    stream.normals(static_cast<std::uint64_t>(2 * i), {head.theta.data(), entries});
    stream.normals(static_cast<std::uint64_t>(2 * i + 1), {head.w.data(), entries});
    head.theta *= theta, head.w *= w;
    layer.heads.push_back(std::move(head));
  }
  return layer;
}

// The largest distance of a row of labels from that in double.
double largest_distance(SingleBlock& single, const Block& block) {
  double largest = 0;
  for (Index r = 0; r < block.k; ++r)
    for (Index n = 0; n < block.count; ++n) {
      double distance2 = 0;
      for (Index f = 0; f < block.d(); ++f) {
        const double off = single.label(f, r)[n] - block.y(f, block.column(r, n));
        distance2 += off * off;
      }
      largest = std::max(largest, std::sqrt(distance2));
    }
  return largest;
}

TEST(SingleForward, LabelsAreThoseOfDoubleWithinTheirBoundOnEachTarget) {
  on_each_simd_target([](SimdTarget target) {
    for (const auto& [d, k, m, count] : {std::array<Index, 4>{16, 2, 7, 96},
                                         {32, 3, 3, 96},
                                         {64, 2, 3, 96},
                                         {1, 2, 1, 1},
                                         {3, 3, 2, 17},
                                         {9, 4, 2, 95},
                                         {20, 4, 1, 50},
                                         {12, 2, 19, 50}})
      for (const double theta : {0.01, 0.3, 30.0})  // the last: patterns that are nearly one-hot
        for (const Inputs inputs : {Inputs::boolean, Inputs::boolean_and_one}) {
          if (d == 1 && has_constant_feature(inputs)) continue;
          const Layer layer = single_layer(d, m, theta, 0.5);
          Block block(d, k, count);
          draw_tokens(inputs, Stream(Domain::test, 4), 1000, block);
          Forward::Workspace workspace;
          Forward(layer).apply(block, workspace);
          SingleBlock single;
          single.resize(d, k, count);
          draw_tokens(inputs, Stream(Domain::test, 4), 1000, single);
          Floats scratch;
          SingleForward(layer).apply(single, scratch);
          const double off = largest_distance(single, block);
          EXPECT_LE(off, single.error)
              << name_of(target) << ": d = " << d << ", k = " << k << ", theta " << theta;
          if (theta < 1) {  // the bound says something
            EXPECT_LT(single.error, 0.05 * block.y.norm() / std::sqrt(static_cast<double>(k * count)));
          }
          if (theta == 0.3 && count == 96)
            ::testing::Test::RecordProperty(name_of(target) + " d" + std::to_string(d),
                                            std::to_string(off) + " of " + std::to_string(single.error));
        }
  });
}

TEST(SingleForward, SignsAreThoseOfTheDoubles) {
  for (const Inputs inputs : {Inputs::boolean, Inputs::boolean_and_one})
    for (const auto& [d, k] : {std::array<Index, 2>{16, 2}, {7, 3}, {33, 5}, {64, 9}, {130, 2}}) {
      Block block(d, k, 70);
      block.y.setRandom();
      draw_tokens(inputs, Stream(Domain::test, 9), 12, block);
      SingleBlock drawn, taken;
      drawn.resize(d, k, 70);
      draw_tokens(inputs, Stream(Domain::test, 9), 12, drawn);
      ASSERT_TRUE(taken.take(block));
      EXPECT_EQ(drawn.signs, taken.signs) << d << ", " << k;
      EXPECT_LE(largest_distance(taken, block), taken.error);
      for (Index g = 0; g < taken.groups(); ++g)
        for (Index a = 0; a < k; ++a)
          for (Index n = 0; n < 70; ++n)
            for (Index t = 0; t < 4 && 4 * g + t < d; ++t)
              ASSERT_EQ(taken.group(g, a)[n] >> t & 1, block.x(4 * g + t, block.column(a, n)) < 0);
    }
}

TEST(SingleForward, OtherTokensAreNotTaken) {
  Block block(4, 2, 3);
  block.x.setOnes(), block.y.setZero();
  SingleBlock single;
  EXPECT_TRUE(single.take(block));
  block.x(2, 5) = 0.5;
  EXPECT_FALSE(single.take(block));
  Block large(4, 2, block_size + 1);
  large.x.setOnes(), large.y.setZero();
  EXPECT_FALSE(single.take(large));
}

TEST(SingleForward, TakesTheBytesThatAreSaid) {
  for (const Index d : {1, 7, 16, 33}) {
    const SingleTables tables(RowMatrix::Ones(d, d));
    EXPECT_EQ(single_tables_bytes(d), 512.0 * static_cast<double>(tables.tiles() * tables.groups()));
    SingleBlock block;
    block.resize(d, 3, 10);
    EXPECT_EQ(single_block_bytes(d, 3),
              static_cast<double>(block.signs.size() + sizeof(float) * block.y.size()));
  }
}

}  // namespace
}  // namespace hardhead::attention
