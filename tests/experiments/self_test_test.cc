#include "experiments/self_test.h"

#include <gtest/gtest.h>

#include <atomic>

namespace hardhead::experiments {
namespace {

TEST(SelfTest, PassesHere) {
  const std::vector<SelfTest> tests = self_test({});
  EXPECT_EQ(tests.size(), 5u);
  for (const SelfTest& test : tests) {
    EXPECT_TRUE(test.ok()) << test.name << ": " << test.reason;
    EXPECT_GT(test.seconds, 0) << test.name;
  }
}

TEST(SelfTest, IsStoppedNotFailed) {
  const std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  EXPECT_THROW(self_test(context), Stopped);
}

}  // namespace
}  // namespace hardhead::experiments
