#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

TEST(ReproduceCommand, WritesVerdictsThatAReportShows) {
  const ScratchFolder folder;
  const std::string out = folder.path("out");
  const ProgramResult done =
      run_program(folder.path(), {"reproduce", "R5", "--quick", "--seed", "3", "--out", out, "--json"});
  ASSERT_EQ(done.exit, 0) << done.err;
  const auto answer = nlohmann::json::parse(done.out);
  EXPECT_EQ(answer["performed"], 1);
  EXPECT_EQ(answer["verdicts"], out + "/verdicts.json");
  const auto verdicts = nlohmann::json::parse(folder.read("out/verdicts.json"));
  ASSERT_EQ(verdicts.size(), 1u);
  for (const char* key : {"id", "claim", "criterion", "verdict", "figures", "table"})
    EXPECT_TRUE(verdicts[0].contains(key)) << key;
  EXPECT_EQ(verdicts[0]["verdict"], "holds");
  EXPECT_EQ(verdicts[0]["seed"], 3);
  EXPECT_EQ(verdicts[0]["command"], "hardhead reproduce R5 --seed 3 --quick --out " + out);
  const ProgramResult page = run_program(folder.path(), {"report", out});
  ASSERT_EQ(page.exit, 0) << page.err;
  EXPECT_THAT(folder.read("out/report.html"),
              testing::HasSubstr("Large margins shrink errors exponentially"));
}

}  // namespace
}  // namespace hardhead::app
