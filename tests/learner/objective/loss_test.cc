#include "learner/objective/loss.h"

#include <gtest/gtest.h>

#include <limits>

#include "learner/fits/gauss_newton.h"
#include "learner/objective/least_squares.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using testing::NiceSource;

TEST(Loss, OfLabelsThatAreAllZeroIsAsOfAFinishedLayer) {
  const NiceSource nice("nice:d=4,k=2,m=1");
  std::vector<attention::Block> blocks = read_blocks(nice.source, 0, 100, RunContext{});
  for (attention::Block& block : blocks) block.y.setZero();
  attention::Layer silent = nice.layer();
  silent.heads[0].w.setZero();
  LossScratch scratch;
  EXPECT_EQ(loss(blocks, nice.layer(), scratch).relative_error(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Linearisation(blocks, nice.layer()).relative_error(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(relative_error(blocks, nice.layer()), std::numeric_limits<double>::infinity());
  EXPECT_EQ(loss(blocks, silent, scratch).relative_error(), 0);
  EXPECT_EQ(relative_error(blocks, silent), 0);
  // From an infinite error there is no way down.
  EXPECT_EQ(gauss_newton(blocks, blocks, nice.layer(), {}, RunContext{}, "fit").ending,
            GaussNewtonEnding::stalled);
}

}  // namespace
}  // namespace hardhead::learner
