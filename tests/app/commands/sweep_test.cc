#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/numeric/random.h"
#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* sweep_file = R"(
seeds = 6
[[grid]]
source = ["nice", "diagonal"]
parameters = { d = [6, 8], m = 2 }
method = ["gauss-newton", "phase1"]
heads = "told"
examples = 1000
)";
constexpr int all_runs = 48;

/// Runs by name; seconds and threads are set to 0, all else is as it was written.
std::map<std::string, json> runs_of(const std::string& journal) {
  std::map<std::string, json> out;
  std::istringstream lines(journal);
  for (std::string line; std::getline(lines, line);) {
    json run = json::parse(line);
    run["seconds"] = run["threads"] = 0;
    for (json& phase : run["phases"]) phase["seconds"] = 0;
    const std::string name = run["run"];
    EXPECT_FALSE(out.contains(name)) << "done twice";
    out[name] = run;
  }
  return out;
}

TEST(Sweep, KilledAgainAndAgainItEndsAsIfItHadNotBeen) {
  const ScratchFolder folder;
  folder.write("s.toml", sweep_file);
  const ProgramResult whole = run_program(folder.path(), {"sweep", "s.toml", "--out", "whole", "--quiet"});
  ASSERT_EQ(whole.exit, 0) << whole.err;
  const auto expected = runs_of(folder.read("whole/journal.jsonl"));
  ASSERT_EQ(expected.size(), all_runs);

  const Stream stream(Domain::learner, 1, "moments to kill at");
  int killed = 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    Program sweep(folder.path(),
                  {"sweep", "s.toml", "--out", "killed", "--jobs", i % 2 == 0 ? "1" : "2", "--quiet"});
    ::usleep(static_cast<useconds_t>(20'000 + stream.below(i, 100'000)));
    ::kill(sweep.pid(), SIGKILL);
    killed += sweep.wait().exit == -1 ? 1 : 0;
  }
  EXPECT_GT(killed, 0);
  const ProgramResult last =
      run_program(folder.path(), {"sweep", "s.toml", "--out", "killed", "--json", "--quiet"});
  ASSERT_EQ(last.exit, 0) << last.err;
  EXPECT_EQ(json::parse(last.out)["done"], all_runs);
  EXPECT_TRUE(runs_of(folder.read("killed/journal.jsonl")) == expected);
}

TEST(Sweep, AnInterruptLeavesACleanStateAndSaysHowToGoOn) {
  const ScratchFolder folder;
  folder.write("s.toml", "seeds = 2000\n[[grid]]\nsource='nice:d=8'\nmethod='gauss-newton'\nexamples=500\n");
  Program sweep(folder.path(), {"sweep", "s.toml", "--out", "o"});
  sweep.wait_until_said("run 1 of");
  ::kill(sweep.pid(), SIGTERM);
  const ProgramResult result = sweep.wait();
  EXPECT_EQ(result.exit, 128 + SIGTERM) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the same command goes on"));
  const std::string journal = folder.read("o/journal.jsonl");
  EXPECT_TRUE(journal.empty() || journal.back() == '\n');
}

TEST(Sweep, SaysWhatItWillCostBeforeItStarts) {
  const ScratchFolder folder;
  folder.write("s.toml", sweep_file);
  const ProgramResult first = run_program(folder.path(), {"sweep", "s.toml", "--out", "o", "--jobs", "2"});
  EXPECT_THAT(first.err, testing::StartsWith("48 runs, 2 at a time. Predicted for one run"));
  EXPECT_LT(first.err.find("for all at most"), first.err.find("run 1 of 48"));
  const ProgramResult second = run_program(folder.path(), {"sweep", "s.toml", "--out", "o"});
  EXPECT_THAT(second.err, testing::StartsWith("48 runs, 48 of them in the journal\n"));
}

TEST(Sweep, TwoOnTheSameFolderAtOnceAreToldApart) {
  const ScratchFolder folder;
  folder.write("s.toml", "seeds = 2000\n[[grid]]\nsource='nice:d=8'\nmethod='gauss-newton'\nexamples=500\n");
  Program first(folder.path(), {"sweep", "s.toml", "--out", "o"});
  first.wait_until_said("run 1 of");
  const ProgramResult second = run_program(folder.path(), {"sweep", "s.toml", "--out", "o", "--quiet"});
  ::kill(first.pid(), SIGKILL);
  first.wait();
  EXPECT_EQ(second.exit, 2);
  EXPECT_THAT(second.err, HasSubstr("another process is at work in it"));
}

TEST(Sweep, AFullDiskIsSaidAndLosesNothing) {
  const ScratchFolder folder;
  folder.write("s.toml", sweep_file);
  // Files of at most 16 KiB: a write beyond fails as on a full disk.
  const std::string command = std::string("cd '") + folder.path() + "' && trap '' XFSZ && ulimit -f 16 && '" +
                              HARDHEAD_PROGRAM + "' sweep s.toml --out o --quiet 2>errors; echo \\$? >code";
  ASSERT_EQ(std::system(("bash -c \"" + command + "\"").c_str()), 0);
  EXPECT_EQ(folder.read("code"), "2\n");
  EXPECT_THAT(folder.read("errors"), HasSubstr("journal 'o/journal.jsonl': a line could not be written"));
  const ProgramResult rest =
      run_program(folder.path(), {"sweep", "s.toml", "--out", "o", "--json", "--quiet"});
  ASSERT_EQ(rest.exit, 0) << rest.err;
  EXPECT_EQ(json::parse(rest.out)["done"], all_runs);
  EXPECT_GT(json::parse(rest.out)["from_journal"], 3);
  EXPECT_EQ(runs_of(folder.read("o/journal.jsonl")).size(), all_runs);
}

TEST(Sweep, GoesOnWhenAFullDiskHasRoomAgain) {
  const ScratchFolder folder;
  folder.write("s.toml", sweep_file);
  const std::string disk = folder.path("disk");
  std::filesystem::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "a small tmpfs cannot be mounted here: " << std::strerror(errno);
  const ProgramResult full = run_program(folder.path(), {"sweep", "s.toml", "--out", "disk/o", "--quiet"});
  const std::string done = folder.read("disk/o/journal.jsonl");
  const bool wider = ::mount("none", disk.c_str(), "tmpfs", MS_REMOUNT, "size=4m") == 0;
  const ProgramResult rest =
      run_program(folder.path(), {"sweep", "s.toml", "--out", "disk/o", "--json", "--quiet"});
  const std::size_t runs = runs_of(folder.read("disk/o/journal.jsonl")).size();
  ::umount2(disk.c_str(), MNT_DETACH);
  EXPECT_EQ(full.exit, 2);
  EXPECT_THAT(full.err, HasSubstr("journal 'disk/o/journal.jsonl': a line could not be written"));
  ASSERT_TRUE(wider);
  ASSERT_EQ(rest.exit, 0) << rest.err;
  EXPECT_EQ(json::parse(rest.out)["done"], all_runs);
  EXPECT_EQ(json::parse(rest.out)["from_journal"], std::count(done.begin(), done.end(), '\n'));
  EXPECT_EQ(runs, all_runs);
}

TEST(Sweep, RunsOfAnotherVersionAreKeptAndNotUsed) {
  const ScratchFolder folder;
  folder.write("s.toml", "[[grid]]\nsource='nice:d=6'\nmethod='phase1'\nexamples=500\n");
  ASSERT_EQ(run_program(folder.path(), {"sweep", "s.toml", "--out", "o", "--quiet"}).exit, 0);
  json run = json::parse(folder.read("o/journal.jsonl"));
  run["run"] = "the name that another version gave";
  folder.write("o/journal.jsonl", run.dump() + "\n");
  const ProgramResult result = run_program(folder.path(), {"sweep", "s.toml", "--out", "o", "--quiet"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.err, HasSubstr("1 run in 'o/journal.jsonl' is not of this plan and version"));
  EXPECT_EQ(runs_of(folder.read("o/journal.jsonl")).size(), 2u);
}

TEST(Sweep, RecordsItsCommandAsItIsTyped) {
  const ScratchFolder folder;
  folder.write("a study's.toml",
               "[[grid]]\nsource = \"nice:d=4,k=2,m=1\"\nmethod = \"phase1\"\nexamples = 500\n");
  const ProgramResult done =
      run_program(folder.path(), {"sweep", "a study's.toml", "--out", "out", "--quiet"});
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_EQ(json::parse(folder.read("out/sweep.json"))["command"],
            R"(hardhead sweep 'a study'\''s.toml' --out out)");
}

}  // namespace
}  // namespace hardhead::app
