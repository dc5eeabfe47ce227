#include "attention/samples/jacobian_rank.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/numeric/random.h"
#include "tests/refusal.h"

namespace hardhead::attention {
namespace {

Matrix normal_matrix(Index rows, Index columns, std::uint64_t item) {
  Matrix out(rows, columns);
  Stream(Domain::instance, 1, "jacobian_rank_test")
      .normals(item, {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

/// As the nice family's: Theta_i of norm 2, W_i of norm 1, here of a rank.
Layer nice_layer(Index d, Index m, Index rank) {
  Layer out{d, {}};
  std::uint64_t item = 0;
  const auto matrix = [&](double norm) {
    const Matrix left = normal_matrix(d, rank, item), right = normal_matrix(rank, d, item + 1);
    item += 2;
    return Matrix(norm * (left * right).normalized());
  };
  for (Index i = 0; i < m; ++i) {
    const Matrix theta = matrix(2);
    out.heads.push_back({theta, matrix(1)});
  }
  return out;
}

JacobianRank rank_of(const std::vector<JacobianRank>& ranks, Inputs inputs,
                     Coordinates coordinates = Coordinates::entries) {
  for (const JacobianRank& of : ranks)
    if (of.inputs == inputs && of.coordinates == coordinates) return of;
  ADD_FAILURE() << "not measured";
  return {};
}

struct LayerShape {
  Index d, m, k;
};

class RankOfNiceLayers : public testing::TestWithParam<LayerShape> {};

TEST_P(RankOfNiceLayers, IsThePredictedOne) {
  const auto [d, m, k] = GetParam();
  const auto ranks = jacobian_ranks(nice_layer(d, m, d), k, 1);
  EXPECT_EQ(ranks.size(), 3U) << "no matrix has a rank below d";
  for (const JacobianRank& of : ranks) {
    EXPECT_EQ(of.columns, 2 * m * d * d);
    EXPECT_EQ(of.predicted, of.columns) << name_of(of.inputs);
    EXPECT_EQ(of.rank, of.predicted) << name_of(of.inputs);
    EXPECT_GT(of.smallest_kept, 1e-7) << name_of(of.inputs);
    EXPECT_FALSE(of.largest_dropped);
  }
}

TEST_P(RankOfNiceLayers, OfLowRankIsThePredictedOneInFactors) {
  const auto [d, m, k] = GetParam();
  for (const Index r : {Index{1}, d / 2}) {
    const auto ranks = jacobian_ranks(nice_layer(d, m, r), k, 1);
    for (const Inputs inputs : {Inputs::boolean, Inputs::gaussian}) {
      const JacobianRank of = rank_of(ranks, inputs, Coordinates::factors);
      EXPECT_EQ(of.columns, 4 * m * d * r);
      EXPECT_EQ(of.predicted, 2 * m * r * (2 * d - r));
      EXPECT_EQ(of.rank, of.predicted) << name_of(inputs) << ", r = " << r;
      ASSERT_TRUE(of.largest_dropped) << "r^2 directions of each matrix change its factors only";
      EXPECT_GT(of.smallest_kept, 1e4 * *of.largest_dropped);
    }
    // By the theorem in all entries, too: each W_i is not 0 and all Theta_i differ.
    EXPECT_EQ(rank_of(ranks, Inputs::gaussian).rank, 2 * m * d * d) << "r = " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RankOfNiceLayers,
                         testing::Values(LayerShape{4, 1, 2}, LayerShape{4, 2, 2}, LayerShape{4, 3, 2},
                                         LayerShape{4, 1, 3}, LayerShape{4, 2, 3}, LayerShape{4, 3, 3},
                                         LayerShape{6, 1, 2}, LayerShape{6, 2, 2}, LayerShape{6, 3, 2},
                                         LayerShape{6, 1, 3}, LayerShape{6, 2, 3}, LayerShape{6, 3, 3}),
                         [](const auto& row) {
                           return fmt::format("d{}_m{}_k{}", row.param.d, row.param.m, row.param.k);
                         });

// On so few features all Boolean inputs have fewer numbers than a layer of three heads has weights.
TEST(JacobianRank, OnSignsIsAtMostTheNumberOfValuesThatThereAre) {
  struct Row {
    Index d, m, k, bound;
  };
  for (const auto& [d, m, k, bound] :
       {Row{1, 3, 2, 2}, {2, 2, 2, 16}, {2, 3, 2, 16}, {3, 6, 2, 93}, {1, 3, 3, 3}, {2, 6, 3, 40}}) {
    EXPECT_EQ(boolean_rank_bound(d, k), static_cast<double>(bound));
    Layer layer = nice_layer(d, m, d);
    for (Index i = 0; i < m; ++i)  // of one feature, Theta_i of norm 2 is 2 or -2
      layer.heads[static_cast<std::size_t>(i)].theta *= 1 + 0.25 * static_cast<double>(i);
    const JacobianRank of = rank_of(jacobian_ranks(layer, k, 1), Inputs::boolean);
    EXPECT_EQ(of.predicted, std::min(bound, 2 * m * d * d));
    EXPECT_EQ(of.rank, of.predicted) << "d = " << d << ", k = " << k;
  }
  EXPECT_EQ(boolean_rank_bound(40, 8), 0x1p53);
}

// A row shows m (k - 1) numbers of the patterns and no more: one head of many features needs more inputs than
// its 2 d^2 unknowns over the k d numbers of an input.
TEST(JacobianRank, HasInputsEnoughForOneHeadOfManyFeatures) {
  for (const JacobianRank& of : jacobian_ranks(nice_layer(12, 1, 12), 2, 1))
    EXPECT_EQ(of.rank, 288) << name_of(of.inputs);
}

// As in hard families: one entry of Y has to show all Theta_i.
TEST(JacobianRank, HasInputsEnoughWhereOneEntryOfYShowsAll) {
  Layer layer = nice_layer(6, 3, 6);
  for (Head& head : layer.heads) head.w.rightCols(5).setZero();
  for (const Index k : {2, 3})
    EXPECT_EQ(rank_of(jacobian_ranks(layer, k, 1), Inputs::gaussian).rank, 216) << "k = " << k;
}

// Two heads of one Theta: only the sum of their W shows, d^2 directions fewer.
TEST(JacobianRank, IsSmallerWhereHeadsMerge) {
  const Index d = 4;
  Layer layer = nice_layer(d, 2, d);
  layer.heads[1].theta = layer.heads[0].theta;
  for (const Index k : {2, 3}) {
    const JacobianRank of = rank_of(jacobian_ranks(layer, k, 1), Inputs::gaussian);
    EXPECT_EQ(of.predicted, 4 * d * d);
    EXPECT_EQ(of.rank, 3 * d * d);
    ASSERT_TRUE(of.largest_dropped);
    EXPECT_LT(*of.largest_dropped, 1e-10 * of.smallest_kept);
  }
}

// {(alpha e_a e_b^T, W), (0, V)} on two tokens of signs: alpha may change with W and V (canonical.h).
TEST(JacobianRank, OfASingleEntryIsSmallerOnSignsThanOnRealInputs) {
  const Index d = 4;
  Layer layer = nice_layer(d, 2, d);
  layer.heads[0].theta = Matrix::Zero(d, d);
  layer.heads[0].theta(0, 2) = 1;
  layer.heads[1].theta = Matrix::Zero(d, d);
  const auto ranks = jacobian_ranks(layer, 2, 1);
  EXPECT_EQ(rank_of(ranks, Inputs::gaussian).rank, 4 * d * d);
  EXPECT_LT(rank_of(ranks, Inputs::boolean).rank, 4 * d * d);
}

TEST(JacobianRank, RefusesWhatWouldTakeTooLong) {
  const std::string said = refusal_of([] { jacobian_ranks(nice_layer(25, 1, 2), 2, 1); });
  for (const char* part : {"d = 25, m = 1", "1250 columns", "operations", "1200"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_NE(refusal_of([] { jacobian_ranks(nice_layer(4, 1, 4), 1, 1); }).find("k = 1"), std::string::npos);
  Layer huge = nice_layer(4, 1, 4);
  huge.heads[0].w *= 1e308;
  EXPECT_NE(refusal_of([&] { jacobian_ranks(huge, 2, 1); }).find("finite"), std::string::npos);
}

TEST(JacobianRank, IsStopped) {
  const std::atomic<bool> flag = true;
  EXPECT_THROW(jacobian_ranks(nice_layer(4, 1, 4), 2, 1, StopToken(&flag)), Stopped);
}

// What a constant feature leaves free: the last columns of the Theta_i, and the last rows of the W_i but for
// their sum.
TEST(JacobianRank, WithAConstantFeatureIsWhatItDoesNotLeaveFree) {
  struct Row {
    Index d, m, k, determined;
  };
  for (const auto& [d, m, k, determined] :
       {Row{4, 1, 2, 28}, {4, 2, 3, 52}, {5, 2, 2, 85}, {5, 3, 3, 125}, {3, 2, 4, 27}})
    for (const JacobianRank& of : jacobian_ranks(nice_layer(d, m, d), k, 1, {}, LastFeature::is_one)) {
      EXPECT_EQ(of.columns, 2 * m * d * d);
      if (of.inputs != Inputs::boolean_and_one) {
        EXPECT_EQ(of.predicted, determined);
      }
      EXPECT_EQ(of.rank, of.predicted) << "d = " << d << ", k = " << k << ", " << name_of(of.inputs);
    }
  // Two tokens of one sign and the constant: rows for 2 x_r and 2 others, one of which says x W_sum.
  EXPECT_EQ(boolean_rank_bound(2, 2, LastFeature::is_one), 8);
}

}  // namespace
}  // namespace hardhead::attention
