#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/numeric/decompositions.h"
#include "hardness/families/family.h"
#include "tests/hardness/make.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

TEST(LowRank, ThetasHaveTheRankAndNormAskedForAndProjectionsAreNices) {
  const Instance nice = make("nice:d=12,m=3"), low = make("low-rank:d=12,m=3,rank=4");
  for (std::size_t i = 0; i < 3; ++i) {
    const attention::Vector values = singular_values(low.layer.heads[i].theta, SingularVectors::none).values;
    EXPECT_GT(values[3], 0.01 * values[0]);
    EXPECT_LT(values[4], 1e-14 * values[0]);
    EXPECT_NEAR(values.norm(), 2, 1e-14);
    EXPECT_EQ(low.layer.heads[i].w, nice.layer.heads[i].w);
  }
  EXPECT_LT(std::abs(low.layer.heads[0].theta.cwiseProduct(low.layer.heads[1].theta).sum()), 1.5);
}

TEST(LowRank, RankIsAtMostTheFeatures) {
  EXPECT_NO_THROW(make("low-rank:d=4,rank=4"));
  EXPECT_THAT(refusal_of([&] { make("low-rank:d=4,rank=5"); }),
              testing::HasSubstr("rank=5 is more than d=4"));
}

TEST(LowRank, DigestsAreTheSameOnEveryMachine) {
  EXPECT_EQ(make("low-rank").digest, "eeab29614b9f0ba3d2e0dcb5af06f43dd436f3b9e5c7993bc506b590a27dc700");
}

}  // namespace
}  // namespace hardhead::hardness
