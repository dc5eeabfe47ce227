#include "attention/forward/block.h"

#include <gtest/gtest.h>

#include <vector>

namespace hardhead::attention {
namespace {

TEST(Block, AsAnArrayGoesByExamplesThenTokensThenFeatures) {
  const Index d = 4, k = 3, count = 5;
  Block block(d, k, count);
  std::vector<double> expected;
  for (Index n = 0; n < count; ++n)
    for (Index a = 0; a < k; ++a)
      for (Index f = 0; f < d; ++f) {
        block.y(f, block.column(a, n)) = static_cast<double>(100 * n + 10 * a + f);
        expected.push_back(block.y(f, block.column(a, n)));
      }
  std::vector<double> array(expected.size());
  write_as_array(block.y, k, array.data());
  EXPECT_EQ(array, expected);
}

}  // namespace
}  // namespace hardhead::attention
