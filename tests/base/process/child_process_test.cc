#include "base/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace hardhead {
namespace {

using ::testing::HasSubstr;

TEST(ChildProcess, AnswersInBytesAndReportsProgress) {
  std::vector<double> heard;
  RunContext context;
  context.progress.on_progress = [&](std::string_view phase, double done) {
    EXPECT_EQ(phase, "work");
    heard.push_back(done);
  };
  const std::string long_answer(300'000, '\0');
  const std::string answer = run_in_child(
      [&](const auto& progress) {
        progress(0.25);
        progress(0.75);
        return long_answer + "x";
      },
      context, "work");
  EXPECT_EQ(answer, long_answer + "x");
  EXPECT_EQ(heard, (std::vector<double>{0.25, 0.75}));
}

TEST(ChildProcess, LeavesThisProcessAsItIs) {
  int here = 1;
  run_in_child([&](const auto&) { return here = 2, std::string(); }, RunContext{}, "work");
  EXPECT_EQ(here, 1);
}

std::string failure(const ChildBody& body) {
  try {
    run_in_child(body, RunContext{}, "lattice");
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
  return "answered";
}

TEST(ChildProcess, SaysHowItEnded) {
  EXPECT_THAT(failure([](const auto&) -> std::string { throw InputError("q = 0"); }), "error: q = 0");
  EXPECT_THAT(failure([](const auto&) -> std::string { std::abort(); }), HasSubstr("error: lattice"));
  EXPECT_THAT(failure([](const auto&) -> std::string { std::abort(); }), HasSubstr("signal 6"));
  EXPECT_THAT(failure([](const auto&) -> std::string { ::_exit(3); }), HasSubstr("exit code 3"));
}

// Whatever the body throws ends the child, which never returns into this test's code.
TEST(ChildProcess, EndsOnAnyException) {
  const pid_t here = ::getpid();
  EXPECT_THAT(failure([](const auto&) -> std::string { throw 7; }), "error: an exception of unknown type");
  EXPECT_THROW(run_in_child([](const auto&) -> std::string { throw Stopped{"time limit of 1 s reached"}; },
                            RunContext{}, "work"),
               Stopped);
  ASSERT_EQ(::getpid(), here) << "the child is at large";
}

// Pipes that this process can write to.
int writing_ends() {
  int count = 0;
  struct stat status{};
  for (int file = 0; file < 256; ++file)
    if (::fstat(file, &status) == 0 && S_ISFIFO(status.st_mode) &&
        (::fcntl(file, F_GETFL) & O_ACCMODE) == O_WRONLY)
      ++count;
  return count;
}

// With another child's in hand, that one's end would not be seen before its own.
TEST(ChildProcess, HoldsNoPipeButItsOwnHoweverManyThreadsStartThem) {
  const std::string expected = std::to_string(writing_ends() + 1);  // the output may be one already
  std::atomic<int> others = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int n = 0; n < 100; ++n)
        if (run_in_child([](const auto&) { return std::to_string(writing_ends()); }, RunContext{}, "work") !=
            expected)
          ++others;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(others, 0);
}

TEST(ChildProcess, MayHaveAChildOfItsOwn) {
  const auto answer = [](const auto&) -> std::string { return "inner"; };
  EXPECT_EQ(
      run_in_child(
          [&](const auto&) { return fmt::format("outer, {}", run_in_child(answer, RunContext{}, "inner")); },
          RunContext{}, "outer"),
      "outer, inner");
}

TEST(ChildProcess, IsKilledWhenTheRunIsStopped) {
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  std::thread interrupt([&] {
    ::usleep(50'000);
    stop = true;
  });
  EXPECT_THROW(run_in_child(
                   [](const auto&) -> std::string {
                     while (true) ::pause();
                   },
                   context, "work"),
               Stopped);
  interrupt.join();
}

}  // namespace
}  // namespace hardhead
