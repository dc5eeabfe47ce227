#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "study/problem/suite.h"
#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Suite, FilesAreWhatTheirRecipesPrint) {
  for (const study::Suite& suite : study::suites()) {
    const std::string command = fmt::format(
        "HARDHEAD='{0}' bash '{1}/scripts/suites.sh' {2} | cmp - '{1}/study/problem/suites/{2}.txt'",
        HARDHEAD_PROGRAM, HARDHEAD_SOURCE_DIR, suite.name);
    EXPECT_EQ(std::system(command.c_str()), 0) << suite.name;
  }
}

TEST(Suite, AShellCanUseWhatItShows) {
  const ScratchFolder folder;
  const ProgramResult shown = run_program(folder.path(), {"suite", "parity-v1"});
  ASSERT_EQ(shown.exit, 0) << shown.err;
  const std::string line = shown.out.substr(0, shown.out.find('\n') + 1);
  EXPECT_EQ(run_program(folder.path(), {"suite", line.substr(0, line.find(' '))}).out, line);
}

TEST(Suite, AgreesWithWhatWasPublished) {
  const ScratchFolder folder;
  const ProgramResult result =
      run_program(folder.path(), {"suite", "lwr-v1", "nice-v1", "--verify", "--json"});
  EXPECT_EQ(result.exit, 0) << result.err;
  const json suites = json::parse(result.out)["suites"];
  ASSERT_EQ(suites.size(), 2u);
  EXPECT_EQ(suites[1]["name"], "nice-v1");
  EXPECT_EQ(suites[1]["mismatches"], json::array());
}

TEST(Suite, IsASourceOfComparisons) {
  const ScratchFolder folder;
  const ProgramResult result = run_program(
      folder.path(),
      {"compare", "suite:degraded-v1", "--method", "phase1", "--examples", "600", "--quiet", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const json rows = json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 44u) << "instances that differ in their seed alone share a row";
  EXPECT_THAT(rows[0]["instance"].get<std::string>(), StartsWith("degraded:d=16,k=3,m=2"));
  EXPECT_EQ(rows[0]["runs"], 3);
}

TEST(Suite, AnUnknownOneIsRefusedByName) {
  const ScratchFolder folder;
  for (std::vector<std::string> words :
       {std::vector<std::string>{"suite", "nice-v9"}, {"suite", "nice-v9", "--verify"}}) {
    const ProgramResult result = run_program(folder.path(), words);
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("unknown suite 'nice-v9', did you mean 'nice-v1'?"));
  }
}

}  // namespace
}  // namespace hardhead::app
