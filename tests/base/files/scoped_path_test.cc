#include "base/files/scoped_path.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/temporary_folder.h"
#include "tests/scratch_folder.h"

namespace hardhead {
namespace {

namespace fs = std::filesystem;

TEST(ScopedPath, IsRemovedWithItsOwnerUnlessItIsKept) {
  const ScratchFolder folder;
  {
    ScopedPath file(folder.path("a"), [&] { folder.write("a", "x"); });
    EXPECT_TRUE(fs::exists(folder.path("a")));
  }
  EXPECT_FALSE(fs::exists(folder.path("a")));
  {
    ScopedPath file(folder.path("a"), [&] { folder.write("a", "x"); });
    file.keep();
  }
  EXPECT_EQ(folder.read("a"), "x");
}

TEST(ScopedPath, WhatCannotBeMadeIsNotRemoved) {
  const ScratchFolder folder;
  folder.write("a", "of another");
  EXPECT_THROW(ScopedPath(folder.path("a"), [] { throw InputError("no"); }), InputError);
  EXPECT_EQ(folder.read("a"), "of another");
}

TEST(ScopedPath, AProcessThatEndsAtOnceTakesItsTemporaryFilesWithIt) {
  const ScratchFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile whole(folder.path("whole"));
    whole.stream() << "whole";
    whole.commit();
    AtomicFile half(folder.path("half"));
    const TemporaryFolder temporary(folder.path(), "temporary");
    AtomicFile inside(temporary.file("inside"));
    const bool all_there = folder.file_count() >= 2;  // `half` has no name yet where files can do without
    remove_unfinished();
    std::_Exit(all_there ? 7 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(folder.read("whole"), "whole");
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(TemporaryFolder, WhatAKilledProcessHasLeftIsRemovedAndNothingElse) {
  const ScratchFolder folder;
  const TemporaryFolder held(folder.path(), "t");
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder lost(folder.path(), "t");
    std::ofstream(lost.file("a")) << "x";
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(folder.file_count(), 2) << "what was lost";
  for (const char* other : {"t-mine", "t-1-2-mine", "t-", "u-1-2"})
    std::filesystem::create_directory(folder.path(other));
  const TemporaryFolder next(folder.path(), "t");
  EXPECT_EQ(folder.file_count(), 6) << "two are held, four are not such folders";
  EXPECT_TRUE(std::filesystem::exists(folder.path("t-1-2-mine")));
  EXPECT_TRUE(std::filesystem::exists(held.file("..")));
}

// A folder of another process's number, as of one in another container, is nobody's if nobody holds it.
TEST(TemporaryFolder, TheNumberOfAProcessSaysNothing) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path(fmt::format("t-{}-99999", ::getpid())));
  const TemporaryFolder next(folder.path(), "t");
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(TemporaryFolder, IsNewAndNamesWhereItCannotBe) {
  const ScratchFolder folder;
  {
    const TemporaryFolder first(folder.path(), "t"), second(folder.path(), "t");
    EXPECT_NE(first.file("a"), second.file("a"));
    EXPECT_EQ(folder.file_count(), 2);
    std::ofstream(first.file("a")) << "x";
  }
  EXPECT_EQ(folder.file_count(), 0);
  try {
    const TemporaryFolder nowhere(folder.path("none"), "t");
    FAIL() << "made";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(folder.path("none")), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hardhead
