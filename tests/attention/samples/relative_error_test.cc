#include "attention/samples/relative_error.h"

#include <gtest/gtest.h>

#include <limits>

namespace hardhead::attention {
namespace {

TEST(RelativeError, LabelsThatAreAllZeroHaveNoneBetweenZeroAndInfinite) {
  EXPECT_EQ(relative_error(1, 4), 0.25);
  EXPECT_EQ(relative_error(0, 0), 0);
  EXPECT_EQ(relative_error(1e-320, 0), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace hardhead::attention
