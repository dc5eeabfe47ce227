#include "base/run/stop_token.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "base/run/run_context.h"

namespace hardhead {
namespace {

std::string reason_of_stop(const StopToken& stop) {
  try {
    stop.check();
  } catch (const Stopped& stopped) {
    return stopped.reason;
  }
  return "";
}

TEST(StopToken, LetsARunGoOnByDefault) {
  EXPECT_EQ(reason_of_stop({}), "");
}

TEST(StopToken, StopsWhenTheFlagGoesUp) {
  std::atomic<bool> flag{false};
  const StopToken stop(&flag);
  EXPECT_EQ(reason_of_stop(stop), "");
  EXPECT_FALSE(stop.stopped());
  flag = true;
  EXPECT_EQ(reason_of_stop(stop), "interrupted");
  EXPECT_TRUE(stop.stopped());
}

TEST(StopToken, StopsWhenTheTimeIsUpAndNotBefore) {
  EXPECT_EQ(reason_of_stop(StopToken().with_time_limit(3600)), "");
  const Stopwatch watch;
  const StopToken stop = StopToken().with_time_limit(0.02);
  while (reason_of_stop(stop).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(reason_of_stop(stop), "time limit of 0.02 s reached");
  EXPECT_GE(watch.seconds(), 0.018);
}

TEST(StopToken, ATimeLimitKeepsTheFlag) {
  std::atomic<bool> flag{true};
  EXPECT_EQ(reason_of_stop(StopToken(&flag).with_time_limit(3600)), "interrupted");
}

TEST(StopToken, AVeryLongTimeLimitIsNoLimit) {
  for (const double seconds : {1e10, 1e300, HUGE_VAL})
    EXPECT_EQ(reason_of_stop(StopToken().with_time_limit(seconds)), "") << seconds;
}

TEST(ProgressSink, ReachesItsFunctions) {
  ProgressSink().report("nobody listens", 0.5);
  ProgressSink sink;
  std::string phase, said;
  double done = 0;
  sink.on_progress = [&](std::string_view p, double d) {
    phase = p;
    done = d;
  };
  sink.on_announcement = [&](std::string_view sentence) { said = sentence; };
  sink.report("harvest", 0.25);
  sink.announce("It will take a minute.");
  EXPECT_EQ(phase, "harvest");
  EXPECT_EQ(done, 0.25);
  EXPECT_EQ(said, "It will take a minute.");
}

TEST(RunContext, AProcessAloneIsTheRoot) {
  EXPECT_TRUE(RunContext().is_root());
}

}  // namespace
}  // namespace hardhead
