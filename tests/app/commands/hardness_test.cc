#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Hardness, PrintsBoundLearnersAttackAndVerdict) {
  const ScratchFolder folder;
  const ProgramResult said = run_program(folder.path(), {"hardness", "parity:d=20,m=6"});
  ASSERT_EQ(said.exit, 0) << said.err;
  for (const char* part :
       {"PROVED", "18088 examples", "LEARNERS", "adam", "ATTACK", "62 examples", "verdict: "})
    EXPECT_THAT(said.out, HasSubstr(part));
  EXPECT_THAT(run_program(folder.path(), {"hardness", "staircase"}).out,
              HasSubstr("no bound is implemented for this family"));
}

TEST(Hardness, AsJsonHasEveryNumber) {
  const ScratchFolder folder;
  const ProgramResult said = run_program(folder.path(), {"hardness", "parity:d=64,m=6", "--json"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const json document = json::parse(said.out);
  EXPECT_EQ(document.at("spec"), "parity:d=64,m=6,base=4,variant=exact,seed=1");
  ASSERT_EQ(document.at("bounds").size(), 9u);
  EXPECT_EQ(document.at("bounds").at(2).at("of"), "examples to statistics of degree 1");
  EXPECT_EQ(document.at("bounds").at(2).at("at_least"), "135891042") << "2 C(63, 6)";
  EXPECT_THAT(document.at("remarks").at(0).get<std::string>(), HasSubstr("leap 6"));
  EXPECT_EQ(document.at("attack").at("examples"), 168);
  bool extrapolates = false;
  for (const json& learner : document.at("learners")) {
    if (!learner.at("no_fit").is_null()) continue;
    const auto ends = learner.at("examples").at("interval").get<std::vector<double>>();
    const double value = learner.at("examples").at("value");
    EXPECT_LE(ends.at(0), value);
    EXPECT_GE(ends.at(1), value);
    extrapolates = extrapolates || !learner.at("extrapolated").empty();
  }
  EXPECT_TRUE(extrapolates) << "nobody has measured d = 64 with m = 6";
}

}  // namespace
}  // namespace hardhead::app
