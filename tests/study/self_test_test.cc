#include "study/self_test.h"

#include <gtest/gtest.h>

#include <atomic>

namespace hardhead::study {
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
  RunControl control;
  control.set_stop_flag(&stop);
  EXPECT_THROW(self_test(control), Stopped);
}

}  // namespace
}  // namespace hardhead::study
