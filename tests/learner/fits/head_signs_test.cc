#include "learner/fits/head_signs.h"

#include <gtest/gtest.h>

#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Head;
using attention::Layer;
using attention::Vector;
using testing::NiceSource;

struct Examples {
  std::vector<Block> training, holdout;
  explicit Examples(const NiceSource& nice)
      : training(read_blocks(nice.source, 0, 1000, {})), holdout(read_blocks(nice.source, 1000, 100, {})) {}
};

void turn(Head& head) {
  head.theta *= -1;
  head.w *= -1;
}

TEST(HeadSigns, WithTwoTokensAUniformHeadMakesUpForTurnedHeadsAndTellsThem) {
  const NiceSource nice("nice:d=8,k=2,m=4,seed=3");
  const Examples examples(nice);
  Layer wide = nice.layer();
  wide.heads.push_back({0 * wide.heads[0].theta, 2 * (wide.heads[1].w + wide.heads[3].w)});
  turn(wide.heads[1]);
  turn(wide.heads[3]);
  EXPECT_LT(relative_error(examples.training, wide), 1e-28);
  const Vector shares = turned_shares(wide);
  EXPECT_TRUE(shares.isApprox(Vector{{0, 1, 0, 1}}, 1e-12)) << shares.transpose();
  const Layer turned = with_heads_turned(examples.training, wide, shares);
  EXPECT_LT(relative_error(examples.holdout, turned), 1e-18);
}

TEST(HeadSigns, LeavesALocalMinimumOfWrongSigns) {
  const NiceSource nice("nice:d=8,k=2,m=8,seed=3");
  const Examples examples(nice);
  Layer start = nice.layer();
  turn(start.heads[2]);
  turn(start.heads[5]);
  const GaussNewtonResult ended = gauss_newton(examples.training, examples.holdout, start, {}, {}, "");
  ASSERT_GT(ended.holdout_error, 1e-6) << "no local minimum";
  const TurnedHeads turned = turned_heads(examples.training, examples.holdout, ended.layer, {}, {});
  ASSERT_TRUE(turned.start);
  EXPECT_GT(turned.inner_steps, 0);
  EXPECT_LT(gauss_newton(examples.training, examples.holdout, *turned.start, {}, {}, "").holdout_error,
            1e-25);
}

TEST(HeadSigns, FindsNothingToTurnWhereSignsAreRight) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const Examples examples(nice);
  Layer near = nice.layer();
  for (Head& head : near.heads) head.theta *= 1.1;
  const TurnedHeads turned = turned_heads(examples.training, examples.holdout, near, {}, {});
  EXPECT_FALSE(turned.start);
  EXPECT_EQ(turned.inner_steps, 0);
}

}  // namespace
}  // namespace hardhead::learner
