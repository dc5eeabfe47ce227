#include "study/run/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/numeric/random.h"

namespace hardhead::study {
namespace {

using attention::Index;
using attention::Layer;
using attention::Matrix;

Matrix random_matrix(std::uint64_t item, Index rows) {
  std::vector<double> entries(static_cast<std::size_t>(rows * rows));
  Stream(Domain::instance, 1, "match_test").normals(item, entries);
  return Eigen::Map<Matrix>(entries.data(), rows, rows);
}

Layer random_layer(std::uint64_t item, Index d, Index m) {
  Layer layer;
  layer.d = d;
  for (Index i = 0; i < m; ++i)
    layer.heads.push_back({random_matrix(item + 2 * static_cast<std::uint64_t>(i), d),
                           random_matrix(item + 2 * static_cast<std::uint64_t>(i) + 1, d)});
  return layer;
}

TEST(Match, FindsThePermutationAndTheErrors) {
  const Layer truth = random_layer(0, 5, 4);
  Layer estimate = truth;
  std::rotate(estimate.heads.begin(), estimate.heads.begin() + 1, estimate.heads.end());
  estimate.heads[0].theta *= 1.25;  // true head 1
  const HeadMatch match = match_heads(truth, estimate, 3);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(*match.partner[i], (static_cast<Index>(i) + 3) % 4);
    EXPECT_NEAR(*match.theta_error[i], i == 1 ? 0.25 : 0.0, 1e-15);
    EXPECT_EQ(*match.w_error[i], 0);
  }
}

TEST(Match, HeadsWithoutPartnerHaveNoError) {
  const Layer truth = random_layer(0, 5, 3);
  Layer estimate = truth;
  estimate.heads.erase(estimate.heads.begin() + 1);
  const HeadMatch fewer = match_heads(truth, estimate, 3);
  EXPECT_EQ(fewer.partner, (std::vector<std::optional<Index>>{0, std::nullopt, 1}));
  EXPECT_FALSE(fewer.theta_error[1] || fewer.w_error[1]);
  const HeadMatch more = match_heads(estimate, truth, 3);
  EXPECT_EQ(more.partner, (std::vector<std::optional<Index>>{0, 2}));
}

TEST(Match, ATrueNormOfZeroHasNoRelativeError) {
  Layer truth = random_layer(0, 5, 2);
  truth.heads[0].theta.setZero();
  const HeadMatch match = match_heads(truth, truth, 3);
  EXPECT_FALSE(match.theta_error[0]);
  EXPECT_EQ(*match.w_error[0], 0);
}

void expect_found(const HeadMatch& match) {
  for (std::size_t i = 0; i < match.partner.size(); ++i) {
    EXPECT_LE(match.theta_error[i].value_or(0), 1e-12) << "head " << i;
    ASSERT_TRUE(match.w_error[i]) << "head " << i;
    EXPECT_LE(*match.w_error[i], 1e-12) << "head " << i;
  }
}

// {(Theta, W)} and {(-Theta, -W), (0, 2 W)} are one function of two tokens.
TEST(Match, OfTwoTokensTurnedHeadsAreRight) {
  const Layer truth = random_layer(0, 5, 3);
  const Matrix zero = Matrix::Zero(5, 5);
  Layer turned = truth;
  for (const std::size_t i : {0, 2}) turned.heads[i] = {-truth.heads[i].theta, -truth.heads[i].w};
  turned.heads.push_back({zero, 2 * (truth.heads[0].w + truth.heads[2].w)});
  std::ranges::rotate(turned.heads, turned.heads.begin() + 1);
  const HeadMatch match = match_heads(truth, turned, 2);
  expect_found(match);
  EXPECT_EQ(match.partner, (std::vector<std::optional<Index>>{3, 0, 1}));
  // The other way round, the true constant head is 2 W of the heads that have to be turned.
  const HeadMatch back = match_heads(turned, truth, 2);
  expect_found(back);
  EXPECT_FALSE(back.partner[2]) << "no head of the estimate is constant";
  // Of three tokens they are other heads.
  EXPECT_GT(*match_heads(truth, turned, 3).theta_error[0], 1);
  EXPECT_GT(*match_heads(truth, turned, std::nullopt).theta_error[0], 1);
}

TEST(Match, AConstantHeadIsComparedWithTheSignsOfTheTruth) {
  Layer truth = random_layer(0, 5, 3);
  truth.heads[1].theta.setZero();
  Layer turned = truth;
  turned.heads[0] = {-truth.heads[0].theta, -truth.heads[0].w};
  const HeadMatch wrong = match_heads(truth, turned, 2);
  EXPECT_EQ(*wrong.w_error[0], 0);
  EXPECT_NEAR(*wrong.w_error[1], 2 * truth.heads[0].w.norm() / truth.heads[1].w.norm(), 1e-12)
      << "2 W is missing";
  turned.heads[1].w += 2 * truth.heads[0].w;
  expect_found(match_heads(truth, turned, 2));
  turned.heads[1].theta(0, 0) = 1e-9;  // an estimate
  expect_found(match_heads(truth, turned, 2));
}

TEST(Match, HeadsThatAreOneHeadCountAsOne) {
  const Layer truth = random_layer(0, 5, 2);
  Layer split = truth;
  split.heads.push_back({truth.heads[0].theta, 0.25 * truth.heads[0].w});
  split.heads[0].w *= 0.75;
  for (const Index k : {2, 3}) {
    expect_found(match_heads(truth, split, k));
    const HeadMatch back = match_heads(split, truth, k);
    expect_found(back);
    EXPECT_EQ(back.partner, (std::vector<std::optional<Index>>{0, 1, 0}));
  }
  Layer pair = truth;  // a head and its negative, which are one head of two tokens
  pair.heads[1].theta = -truth.heads[0].theta;
  const Layer joined{5,
                     {{truth.heads[0].theta, truth.heads[0].w - truth.heads[1].w},
                      {Matrix::Zero(5, 5), 2 * truth.heads[1].w}}};
  expect_found(match_heads(pair, joined, 2));
  expect_found(match_heads(joined, pair, 2));
}

TEST(Match, RefusesLayersOfDifferentSize) {
  EXPECT_THROW(match_heads(random_layer(0, 4, 1), random_layer(0, 5, 1), 2), InputError);
}

}  // namespace
}  // namespace hardhead::study
