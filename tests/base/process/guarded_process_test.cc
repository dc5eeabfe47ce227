#include "base/process/guarded_process.h"

#include <gtest/gtest.h>

#include <csignal>

namespace hardhead {
namespace {

TEST(CommandEnding, TheMachineIsToldFromTheProgram) {
  const auto by_the_machine = [](int code, int signal, const char* words = "", bool limit = false) {
    return CommandEnding{code, signal, words}.by_the_machine(limit);
  };
  EXPECT_TRUE(by_the_machine(0, SIGKILL));
  EXPECT_TRUE(by_the_machine(0, SIGSEGV));
  EXPECT_TRUE(by_the_machine(137, 0)) << "as a shell says it";
  EXPECT_TRUE(by_the_machine(127, 0, "sh: 1: mine: not found"));
  EXPECT_TRUE(by_the_machine(126, 0));
  EXPECT_TRUE(by_the_machine(1, 0, "OSError: [Errno 28] No space left on device"));
  EXPECT_TRUE(by_the_machine(1, 0, "MemoryError"));
  EXPECT_TRUE(by_the_machine(1, 0, "*** An error occurred in MPI_Init"));
  EXPECT_FALSE(by_the_machine(1, 0, "MemoryError", true)) << "the run's own limit";
  EXPECT_FALSE(by_the_machine(1, 0, "ValueError: no heads"));
  EXPECT_FALSE(by_the_machine(0, 0, "No space left on device")) << "it went on";
  EXPECT_FALSE(by_the_machine(255, 0)) << "exit(-1)";
}

}  // namespace
}  // namespace hardhead
