#include "learner/outside/program_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/process/guarded_process.h"
#include "tests/scratch_folder.h"

namespace hardhead::learner {
namespace {

namespace fs = std::filesystem;

/// A command, and whether another content of the file `mine` makes another program of it.
bool depends_on_it(const ScratchFolder& folder, const std::string& command) {
  std::set<std::string> digests;
  for (const char* content : {"one", "two", "three!"}) {
    fs::permissions(folder.write("mine", content), fs::perms::owner_all);
    digests.insert(files_digest(command));
  }
  folder.write("mine", "one");
  digests.insert(files_digest(command));
  EXPECT_TRUE(digests.size() == 1 || digests.size() == 3) << command;
  return digests.size() == 3;
}

TEST(ProgramFiles, EveryWayToNameAFileCounts) {
  const ScratchFolder folder;
  const std::string mine = folder.path("mine");
  fs::create_symlink(mine, folder.path("a link"));
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (folder.path() + ":" + before).c_str(), 1);
  for (const std::string& command :
       {mine, "python3 " + mine, "exec nice -n 5 " + mine + " --fast", "sh -c 'python3 " + mine + " 3'",
        "tool --weights=" + mine, "THREADS=2 " + mine, "true; " + mine, "true && (" + mine + ")",
        "f() { cat " + mine + " \"$1\"; }; f", mine + " | tee log", "tool <" + mine, "\"" + mine + "\"",
        "python3 " + shell_quoted(folder.path("a link")), std::string("mine --option")})
    EXPECT_TRUE(depends_on_it(folder, command)) << command;
  for (const std::string& command : {std::string("true"), "tool " + folder.path(), folder.path("other")})
    EXPECT_FALSE(depends_on_it(folder, command)) << command;
  ::setenv("PATH", before.c_str(), 1);
}

TEST(ProgramFiles, ThePlaceOfAFileDoesNotCountWithinAFolder) {
  const ScratchFolder a;
  const std::string path = a.write("mine", "one");
  const std::string digest = files_digest(path);
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(1));
  EXPECT_EQ(files_digest(path), digest) << "the content counts, not its time";
}

TEST(ProgramFiles, ALearnerOfTheLibraryHasNone) {
  EXPECT_EQ(program_digest(Learner(Spec::parse("sculpt"))), "");
  EXPECT_EQ(program_digest(Learner(Spec::parse("mobius"))), "");
  EXPECT_NE(program_digest(Learner(parse_learner("exec:true"))), "");
  EXPECT_NE(program_digest(Learner(parse_learner("exec:access=values,command=true"))), "");
  EXPECT_EQ(program_digest(Learner(parse_learner("exec:no-such-program-anywhere"))), "");
}

}  // namespace
}  // namespace hardhead::learner
