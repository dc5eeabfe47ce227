#include "base/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace hardhead {
namespace {

using ::testing::HasSubstr;

TEST(ChildProcess, AnswersInBytesAndReportsProgress) {
  std::vector<double> heard;
  RunControl control;
  control.set_progress([&](std::string_view phase, double done) {
    EXPECT_EQ(phase, "work");
    heard.push_back(done);
  });
  const std::string long_answer(300'000, '\0');
  const std::string answer = run_in_child(
      [&](const auto& progress) {
        progress(0.25);
        progress(0.75);
        return long_answer + "x";
      },
      control, "work");
  EXPECT_EQ(answer, long_answer + "x");
  EXPECT_EQ(heard, (std::vector<double>{0.25, 0.75}));
}

TEST(ChildProcess, LeavesThisProcessAsItIs) {
  int here = 1;
  run_in_child([&](const auto&) { return here = 2, std::string(); }, RunControl{}, "work");
  EXPECT_EQ(here, 1);
}

std::string failure(const ChildBody& body) {
  try {
    run_in_child(body, RunControl{}, "lattice");
  } catch (const ChildDied& error) {
    return std::string("died: ") + error.what();
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
  return "answered";
}

TEST(ChildProcess, SaysHowItEnded) {
  EXPECT_THAT(failure([](const auto&) -> std::string { throw InputError("q = 0"); }), "error: q = 0");
  EXPECT_THAT(failure([](const auto&) -> std::string { std::abort(); }), HasSubstr("died: lattice"));
  EXPECT_THAT(failure([](const auto&) -> std::string { std::abort(); }), HasSubstr("signal 6"));
  EXPECT_THAT(failure([](const auto&) -> std::string { ::_exit(3); }), HasSubstr("exit code 3"));
}

TEST(ChildProcess, IsKilledWhenTheRunIsStopped) {
  std::atomic<bool> stop = false;
  RunControl control;
  control.set_stop_flag(&stop);
  std::thread interrupt([&] {
    ::usleep(50'000);
    stop = true;
  });
  EXPECT_THROW(run_in_child(
                   [](const auto&) -> std::string {
                     while (true) ::pause();
                   },
                   control, "work"),
               Stopped);
  interrupt.join();
}

}  // namespace
}  // namespace hardhead
