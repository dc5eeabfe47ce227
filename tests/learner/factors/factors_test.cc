#include "learner/factors/factors.h"

#include <gtest/gtest.h>

#include "learner/fits/fitting.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Layer;

constexpr Index d = 6;
constexpr Factors ranks{.m = 3, .form = 2, .value = 4};

Layer random_heads() {
  std::vector<double> numbers(static_cast<std::size_t>(ranks.rows() * d));
  Stream(Domain::test, 1, "spare rank").normals(0, numbers);
  return ranks.layer(Eigen::Map<const Stacked>(numbers.data(), ranks.rows(), d));
}

double distance(const Layer& a, const Layer& b) {
  return (stack(a) - stack(b)).norm() / stack(b).norm();
}

TEST(SpareRank, IsCutAndLeavesTheLayerAsItIs) {
  const Layer layer = random_heads();
  const FactoredHeads cut = without_spare_rank(layer, {.m = 3, .form = 5, .value = 6}, 1e-6);
  EXPECT_EQ(cut.factors, ranks);
  EXPECT_LT(distance(cut.factors.layer(cut.parameters), layer), 1e-12);
}

TEST(SpareRank, IsKeptWhereNoSingularValueCountsAsZero) {
  const Layer layer = random_heads();
  const Factors most{.m = 3, .form = 5, .value = 6};
  const FactoredHeads kept = without_spare_rank(layer, most, 0);
  EXPECT_EQ(kept.factors, most);
  EXPECT_LT(distance(kept.factors.layer(kept.parameters), layer), 1e-7) << "roots of rounding errors";
}

TEST(SpareRank, ALargerOneThanAskedForIsCutToIt) {
  const Factors most{.m = 3, .form = 1, .value = 3};
  EXPECT_EQ(without_spare_rank(random_heads(), most, 1e-6).factors, most);
}

TEST(SpareRank, SingularValuesBelowTheShareCountAsZero) {
  Layer layer = random_heads();
  for (attention::Head& head : layer.heads) {
    head.theta.setZero();
    head.theta.diagonal() << 2, 1, 0.1, 0.01, 1e-3, 0;
  }
  const Factors most{.m = 3, .form = 6, .value = 4};
  EXPECT_EQ(without_spare_rank(layer, most, 0.02).factors.form, 3);
  EXPECT_EQ(without_spare_rank(layer, most, 2e-3).factors.form, 4);
  EXPECT_EQ(without_spare_rank(layer, most, 1e-5).factors.form, 5);
}

TEST(SpareRank, AHeadOfZerosHasOne) {
  Layer layer = random_heads();
  for (attention::Head& head : layer.heads) head.theta.setZero();
  const FactoredHeads cut = without_spare_rank(layer, {.m = 3, .form = 6, .value = 6}, 1e-3);
  EXPECT_EQ(cut.factors.form, 1);
  EXPECT_TRUE(cut.parameters.allFinite());
  EXPECT_LT(distance(cut.factors.layer(cut.parameters), layer), 1e-12);
}

}  // namespace
}  // namespace hardhead::learner
