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
  const HeadMatch match = match_heads(truth, estimate);
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
  const HeadMatch fewer = match_heads(truth, estimate);
  EXPECT_EQ(fewer.partner, (std::vector<std::optional<Index>>{0, std::nullopt, 1}));
  EXPECT_FALSE(fewer.theta_error[1] || fewer.w_error[1]);
  const HeadMatch more = match_heads(estimate, truth);
  EXPECT_EQ(more.partner, (std::vector<std::optional<Index>>{0, 2}));
}

TEST(Match, ATrueNormOfZeroHasNoRelativeError) {
  Layer truth = random_layer(0, 5, 2);
  truth.heads[0].theta.setZero();
  const HeadMatch match = match_heads(truth, truth);
  EXPECT_FALSE(match.theta_error[0]);
  EXPECT_EQ(*match.w_error[0], 0);
}

TEST(Match, RefusesLayersOfDifferentSize) {
  EXPECT_THROW(match_heads(random_layer(0, 4, 1), random_layer(0, 5, 1)), InputError);
}

}  // namespace
}  // namespace hardhead::study
