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
  ASSERT_EQ(document.at("bounds").size(), 7u);
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

TEST(CompareBest, IsTheBestShotOfEachLearner) {
  const ScratchFolder folder;
  const std::vector<std::string> what{"nice:d=6,k=2,m=1", "--method", "gauss-newton",    "--method", "phase1",
                                      "--seeds",          "2",        "--most-examples", "100000",   "--json",
                                      "--quiet"};
  const auto shots_of = [&](std::vector<std::string> command) {
    command.insert(command.end(), what.begin(), what.end());
    const ProgramResult said = run_program(folder.path(), command);
    EXPECT_EQ(said.exit, 0) << said.err;
    return json::parse(said.out).at("shots");
  };
  const json compared = shots_of({"compare", "--best"}), best = shots_of({"best"});
  ASSERT_EQ(compared.size(), 2u);
  EXPECT_EQ(compared[0].at("degree"), "recovered");
  EXPECT_EQ(compared[0].at("successes"), 2);
  EXPECT_TRUE(compared[1].at("budget").is_null());
  for (std::size_t i = 0; i < 2; ++i)
    for (const char* key : {"source", "degree", "successes", "ended_by"})
      EXPECT_EQ(compared[i].at(key), best[i].at(key)) << key;
  EXPECT_EQ(compared[0].at("budget").at("examples"), best[0].at("budget").at("examples"));
  EXPECT_EQ(run_program(folder.path(), {"compare", "--best", "nice:d=6,k=2,m=1", "--method", "phase1",
                                        "--seeds", "1", "--most-examples", "30000", "--require-recovery"})
                .exit,
            4);
}

}  // namespace
}  // namespace hardhead::app
