#include "learner/objective/blocks.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using testing::NiceSource;

TEST(Gather, HasTheExamplesInTheOrderAskedForAndShowsAllOfThem) {
  const NiceSource nice("nice:d=4,k=3,m=2");
  std::vector<std::int64_t> wanted;
  for (std::int64_t n = 0; n < 250; ++n)
    wanted.push_back(7919 * n % 1000);  // more than two blocks, in disorder
  wanted[3] = wanted[100];
  std::atomic<Index> seen = 0;
  const Block all =
      gather(nice.source, wanted, RunContext{}, [&](Index, const Block& some) { seen += some.count; });
  EXPECT_EQ(seen, 250);
  ASSERT_EQ(all.count, 250);
  Block one(4, 3, 1);
  for (Index n = 0; n < all.count; ++n) {
    nice.source.read(wanted[static_cast<std::size_t>(n)], one);
    for (Index a = 0; a < 3; ++a) {
      ASSERT_EQ(all.x.col(all.column(a, n)), one.x.col(a)) << n;
      ASSERT_EQ(all.y.col(all.column(a, n)), one.y.col(a)) << n;
    }
  }
}

TEST(Gather, EndsWhenStopped) {
  const NiceSource nice("nice:d=4,k=3,m=2");
  const std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  EXPECT_THROW(gather(nice.source, {1, 2, 3}, context), Stopped);
}

}  // namespace
}  // namespace hardhead::learner
