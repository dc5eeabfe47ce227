#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "hardness/families/family.h"
#include "tests/hardness/make.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

using attention::Index;

TEST(BlockDiagonal, BlocksAreNicesUpToOneFactorAndTheRestIsZero) {
  const Instance nice = make("nice:d=12,m=3,theta_norm=1.5"),
                 blocks = make("block-diagonal:d=12,m=3,theta_norm=1.5,blocks=3");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& theta = blocks.layer.heads[i].theta;
    const double factor = theta(0, 0) / nice.layer.heads[i].theta(0, 0);
    EXPECT_NEAR(theta.norm(), 1.5, 1e-14);
    for (Index a = 0; a < 12; ++a)
      for (Index b = 0; b < 12; ++b)
        EXPECT_NEAR(theta(a, b), a / 4 == b / 4 ? factor * nice.layer.heads[i].theta(a, b) : 0, 1e-14);
    EXPECT_EQ(blocks.layer.heads[i].w, nice.layer.heads[i].w);
  }
}

TEST(BlockDiagonal, AsManyBlocksAsFeaturesAreDiagonalAndOneIsNice) {
  const Instance diagonal = make("diagonal:d=6"), blocks = make("block-diagonal:d=6,blocks=6"),
                 one = make("block-diagonal:d=6,blocks=1"), nice = make("nice:d=6");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(diagonal.layer.heads[i].theta, blocks.layer.heads[i].theta);
    EXPECT_TRUE(diagonal.layer.heads[i].theta.isDiagonal(0));
    EXPECT_LE((one.layer.heads[i].theta - nice.layer.heads[i].theta).norm(), 1e-15);
  }
}

TEST(BlockDiagonal, BlocksMustDivideTheFeatures) {
  EXPECT_THAT(refusal_of([&] { make("block-diagonal:d=10,blocks=4"); }),
              testing::HasSubstr("blocks=4 does not divide d=10"));
}

TEST(BlockDiagonal, DigestsAreTheSameOnEveryMachine) {
  EXPECT_EQ(make("diagonal").digest, "aeeca1fc019a6e0dd0a6ec12d081f52d20b9891d428bf846090a47fafa666dbb");
  EXPECT_EQ(make("block-diagonal").digest,
            "177777d9784687417b32d28066c750ccb5e5095cbafc340f95b0af19b9c8fa99");
}

}  // namespace
}  // namespace hardhead::hardness
