#include "base/files/atomic_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "tests/scratch_folder.h"

namespace hardhead {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(AtomicFile, WithoutCommitNothingIsLeftBehind) {
  const ScratchFolder folder;
  {
    AtomicFile file(folder.path("a"));
    file.stream() << "half";
    file.stream().flush();
    EXPECT_FALSE(fs::exists(folder.path("a")));
  }
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(AtomicFile, OldContentStaysUntilCommit) {
  const ScratchFolder folder;
  std::ofstream(folder.path("a")) << "old";
  {
    AtomicFile file(folder.path("a"));
    file.stream() << "new" << std::flush;
    EXPECT_EQ(folder.read("a"), "old");
  }
  EXPECT_EQ(folder.read("a"), "old");
  AtomicFile file(folder.path("a"));
  file.stream() << "new";
  file.commit();
  EXPECT_EQ(folder.read("a"), "new");
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(AtomicFile, TwoWritersOfOneFileDoNotMix) {
  const ScratchFolder folder;
  AtomicFile first(folder.path("a")), second(folder.path("a"));
  first.stream() << "first";
  second.stream() << "second";
  first.commit();
  EXPECT_EQ(folder.read("a"), "first");
  second.commit();
  EXPECT_EQ(folder.read("a"), "second");
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(AtomicFile, WhatAKilledWriterLeftIsRemovedAndNothingElse) {
  const ScratchFolder folder;
  // A process that has ended and has been waited for: its number is free.
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  const std::string left = "a." + std::to_string(dead) + ".3.tmp";
  const std::vector<std::string> others = {"b." + std::to_string(dead) + ".3.tmp",
                                           "a." + std::to_string(::getpid()) + ".99.tmp",
                                           "a." + std::to_string(dead) + ".tmp",
                                           "a." + std::to_string(dead) + ".3.tmp.txt",
                                           "a.0.3.tmp",
                                           "a.-1.3.tmp"};
  for (const std::string& name : others) std::ofstream(folder.path(name)) << "x";
  std::ofstream(folder.path(left)) << "half";
  AtomicFile(folder.path("a")).commit();
  EXPECT_FALSE(fs::exists(folder.path(left)));
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder.path(name))) << name;
}

TEST(AtomicFile, AFolderThatCannotBeWrittenToIsNamed) {
  const ScratchFolder folder;
  std::ofstream(folder.path("plain")) << "";
  for (const std::string& target : {folder.path("missing/a"), folder.path("plain/a")})
    EXPECT_THAT([&] { AtomicFile file(target); },
                ThrowsMessage<InputError>(
                    AllOf(HasSubstr("cannot write '" + target + "'"),
                          testing::AnyOf(HasSubstr("No such file"), HasSubstr("Not a directory")))));
}

TEST(AtomicFile, OnlyARegularFileIsReplaced) {
  const ScratchFolder folder;
  EXPECT_THAT([&] { AtomicFile file(folder.path()); }, ThrowsMessage<InputError>(HasSubstr("folder")));
  EXPECT_THAT([&] { AtomicFile file("/dev/null"); },
              ThrowsMessage<InputError>(HasSubstr("'/dev/null': it is not a regular file")));
  EXPECT_THAT([&] { AtomicFile file(""); }, ThrowsMessage<InputError>(HasSubstr("a file name is expected")));
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(AtomicFile, CommitSaysWhatCouldNotBeWritten) {
  const ScratchFolder folder;
  AtomicFile file(folder.path("a"));
  file.stream().setstate(std::ios::badbit);
  EXPECT_THAT([&] { file.commit(); }, ThrowsMessage<InputError>(HasSubstr(folder.path("a"))));
  EXPECT_FALSE(fs::exists(folder.path("a")));
}

}  // namespace
}  // namespace hardhead
