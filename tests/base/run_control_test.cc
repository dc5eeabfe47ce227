#include "base/run_control.h"

#include <thread>

namespace hardhead {
namespace {

std::string reason_of_stop(const RunControl& control) {
  try {
    control.check();
  } catch (const Stopped& stopped) {
    return stopped.reason;
  }
  return "";
}

TEST(RunControl, LetsARunGoOnByDefault) {
  EXPECT_EQ(reason_of_stop(RunControl()), "");
  RunControl().progress("nobody listens", 0.5);
}

TEST(RunControl, StopsWhenTheFlagGoesUp) {
  std::atomic<bool> flag{false};
  RunControl control;
  control.set_stop_flag(&flag);
  EXPECT_EQ(reason_of_stop(control), "");
  flag = true;
  EXPECT_EQ(reason_of_stop(control), "interrupted");
}

TEST(RunControl, StopsWhenTheTimeIsUpAndNotBefore) {
  RunControl control;
  control.set_time_limit(3600);
  EXPECT_EQ(reason_of_stop(control), "");
  control.set_time_limit(0.02);
  const Stopwatch watch;
  while (reason_of_stop(control).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(reason_of_stop(control), "time limit of 0.02 s reached");
  EXPECT_GE(watch.seconds(), 0.018);
  EXPECT_LT(watch.seconds(), 2);
}

TEST(RunControl, AVeryLongTimeLimitIsNoLimit) {
  RunControl control;
  for (const double seconds : {1e10, 1e300, HUGE_VAL}) {
    control.set_time_limit(seconds);
    EXPECT_EQ(reason_of_stop(control), "") << seconds;
  }
}

TEST(RunControl, ProgressReachesItsSink) {
  RunControl control;
  std::string phase;
  double done = 0;
  control.set_progress([&](std::string_view p, double d) { phase = p, done = d; });
  control.progress("harvest", 0.25);
  EXPECT_EQ(phase, "harvest");
  EXPECT_EQ(done, 0.25);
}

}  // namespace
}  // namespace hardhead
