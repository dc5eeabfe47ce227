#include "base/files/atomic_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <filesystem>
#include <functional>

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

/// Runs `body` in a child process, which is killed after `microseconds`; it may have ended by then.
void killed_after(int microseconds, const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  ::usleep(static_cast<useconds_t>(microseconds));
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(AtomicFile, AKilledWriterLeavesNothing) {
  const ScratchFolder folder;
  killed_after(20'000, [&] {
    AtomicFile file(folder.path("a"));
    file.stream() << "half" << std::flush;
    ::pause();
  });
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(AtomicFile, AUsersFilesStayWhateverTheyAreCalled) {
  const ScratchFolder folder;
  const std::vector<std::string> names = {"a.999999.0.tmp", ".hardhead-0123456789abcdef.tmp", "a.tmp"};
  for (const std::string& name : names) std::ofstream(folder.path(name)) << name;
  AtomicFile(folder.path("a")).commit();
  for (const std::string& name : names) EXPECT_EQ(folder.read(name), name);
  EXPECT_EQ(folder.file_count(), static_cast<int>(names.size()) + 1);
}

TEST(AtomicFile, ALinkIsReplacedAndNotFollowed) {
  const ScratchFolder folder;
  std::ofstream(folder.path("victim")) << "precious";
  fs::create_symlink("victim", folder.path("a"));
  AtomicFile file(folder.path("a"));
  file.stream() << "new";
  file.commit();
  EXPECT_EQ(folder.read("victim"), "precious");
  EXPECT_FALSE(fs::is_symlink(folder.path("a")));
}

TEST(AtomicFile, TakesTheLongestNameAndRefusesALongerOneAtOnce) {
  const ScratchFolder folder;
  AtomicFile(folder.path(std::string(NAME_MAX, 'a'))).commit();
  EXPECT_TRUE(fs::exists(folder.path(std::string(NAME_MAX, 'a'))));
  EXPECT_THAT([&] { AtomicFile file(folder.path(std::string(NAME_MAX + 1, 'a'))); },
              ThrowsMessage<InputError>(HasSubstr("File name too long")));
  fs::create_symlink("loop", folder.path("loop"));
  EXPECT_THAT([&] { AtomicFile file(folder.path("loop/a")); },
              ThrowsMessage<InputError>(HasSubstr("symbolic links")));
}

void write_pair(const ScratchFolder& folder, const std::string& content) {
  AtomicFile first(folder.path("first")), file(folder.path("file"));
  first.stream() << content;
  file.stream() << content;
  AtomicFile::commit_in_order(first, file);
}

/// Is the `first` of the file that is there in the folder, under its own name or set aside?
bool has_its_first(const ScratchFolder& folder) {
  const std::string wanted = folder.read("file");
  for (const auto& entry : fs::directory_iterator(folder.path()))
    if (entry.path().filename() != "file" && folder.read(entry.path().filename().string()) == wanted)
      return true;
  return false;
}

TEST(AtomicFile, AFileKeepsItsFirstWhenTheirWriterIsKilled) {
  const ScratchFolder folder;
  write_pair(folder, "old");
  for (int trial = 0; trial < 60; ++trial) {
    killed_after(300 * trial, [&] {
      for (int age = 0;; ++age) write_pair(folder, std::to_string(trial) + "." + std::to_string(age));
    });
    EXPECT_TRUE(has_its_first(folder)) << trial;
    for (const auto& entry : fs::directory_iterator(folder.path()))
      if (entry.path().extension() == ".tmp") fs::remove(entry.path());
    write_pair(folder, "old");
    EXPECT_EQ(folder.file_count(), 2);
  }
}

TEST(AtomicFile, APairThatCannotBeWrittenIsAsItWas) {
  const ScratchFolder folder;
  std::ofstream(folder.path("first")) << "old";
  AtomicFile first(folder.path("first")), file(folder.path("file"));
  first.stream() << "new";
  file.stream() << "new";
  fs::create_directory(folder.path("file"));
  EXPECT_THAT([&] { AtomicFile::commit_in_order(first, file); },
              ThrowsMessage<InputError>(HasSubstr("file")));
  EXPECT_EQ(folder.read("first"), "old");
}

TEST(AtomicFile, PairsThatAreWrittenAtOnceDoNotMix) {
  const ScratchFolder folder;
  std::vector<pid_t> children;
  for (int writer = 0; writer < 10; ++writer) {
    children.push_back(::fork());
    if (children.back() == 0) {
      for (int age = 0; age < 20; ++age)
        write_pair(folder, std::to_string(writer) + "." + std::to_string(age));
      ::_exit(0);
    }
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(folder.read("first"), folder.read("file"));
  EXPECT_EQ(folder.file_count(), 2);
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

TEST(AtomicFile, ATextIsWrittenWholeOverAnother) {
  const ScratchFolder folder;
  for (const char* text : {"a longer text", "text"}) {
    write_text(folder.path("a"), text);
    EXPECT_EQ(folder.read("a"), text);
  }
  EXPECT_THAT([&] { write_text(folder.path("none/a"), "text"); },
              ThrowsMessage<InputError>(HasSubstr(folder.path("none"))));
}

}  // namespace
}  // namespace hardhead
