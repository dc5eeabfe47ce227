#include "learner/fits/head_signs.h"

#include <gtest/gtest.h>

#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Layer;
using testing::block_of;
using testing::NiceSource;

void expect_found(const NiceSource& nice, const std::vector<Block>& blocks, const Layer& wide) {
  ASSERT_LT(relative_error(blocks, wide), 1e-25) << "not a layer with a spare head";
  const auto fewer = without_a_spare_head(blocks, wide, 1e-4);
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer->m(), nice.layer().m());
  EXPECT_LT(relative_error(blocks, *fewer), 1e-15);
}

TEST(SpareHead, FindsAHeadWithoutOutputAHeadTwiceAndAUniformHead) {
  const NiceSource nice("nice:d=8,k=2,m=3,seed=5");
  const std::vector<Block> blocks = {block_of(nice, 600)};
  Layer silent = nice.layer();
  silent.heads.insert(silent.heads.begin(), {silent.heads[1].theta.transpose(), 0 * silent.heads[1].w});
  expect_found(nice, blocks, silent);
  Layer twice = nice.layer();
  twice.heads.push_back({twice.heads[0].theta, 0.3 * twice.heads[0].w});
  twice.heads[0].w *= 0.7;
  expect_found(nice, blocks, twice);
  Layer turned = nice.layer();
  turned.heads.insert(turned.heads.begin(), {0 * turned.heads[1].theta, 2 * turned.heads[1].w});
  turned.heads[2].theta *= -1;
  turned.heads[2].w *= -1;
  expect_found(nice, blocks, turned);
}

TEST(SpareHead, FindsNoneInALayerThatNeedsAllItsHeads) {
  for (const char* spec : {"nice:d=8,k=2,m=3,seed=5", "nice:d=8,k=3,m=2,seed=6"}) {
    const NiceSource nice(spec);
    EXPECT_FALSE(without_a_spare_head({block_of(nice, 600)}, nice.layer(), 1e-4)) << spec;
  }
}

}  // namespace
}  // namespace hardhead::learner
