#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/numeric/decompositions.h"
#include "hardness/families/family.h"
#include "tests/hardness/make.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

using attention::Matrix;

TEST(Transformer, HeadsHaveTheRanksAndNormsOfTheStatedMaps) {
  const Instance instance = make("transformer:d=96,m=8");
  ASSERT_EQ(instance.layer.m(), 8);
  double theta_square = 0, w_square = 0;
  for (const auto& head : instance.layer.heads)
    for (const Matrix* a : {&head.theta, &head.w}) {
      const attention::Vector values = singular_values(*a, SingularVectors::none).values;
      EXPECT_GT(values[11], 0.05 * values[0]);  // d / m = 12
      EXPECT_LT(values[12], 1e-13 * values[0]);
      (a == &head.theta ? theta_square : w_square) += a->squaredNorm() / 8;
    }
  EXPECT_NEAR(theta_square, 1, 0.05);
  EXPECT_NEAR(w_square, 12, 0.6);
}

TEST(Transformer, EntriesAreBoundedAsProductsOfXavierMapsAre) {
  // An entry of W is a sum of d/m products of two numbers of at most sqrt(3/d).
  const Instance instance = make("transformer:d=4,m=4");
  for (const auto& head : instance.layer.heads) {
    EXPECT_LE(head.w.cwiseAbs().maxCoeff(), 3.0 / 4);
    EXPECT_LE(head.theta.cwiseAbs().maxCoeff(), 3.0 / 4);
  }
}

TEST(Transformer, GainActsOnQueriesAndKeysOnly) {
  const Instance one = make("transformer"), two = make("transformer:gain=2");
  EXPECT_EQ(two.layer.heads[1].theta, 4 * one.layer.heads[1].theta);
  EXPECT_EQ(two.layer.heads[1].w, one.layer.heads[1].w);
}

TEST(Transformer, HeadsMustDivideTheFeatures) {
  EXPECT_THAT(refusal_of([&] { make("transformer:d=16,m=3"); }),
              testing::HasSubstr("m=3 does not divide d=16"));
}

TEST(Transformer, DigestsAreTheSameOnEveryMachine) {
  EXPECT_EQ(make("transformer").digest, "374774b03d4d3d10ea80ad8baaa472b5d905f7c49fa0168c0e4044a8c664cf1a");
}

}  // namespace
}  // namespace hardhead::hardness
