// The success curve of a learner, and what commands say as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/program.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(Fewest, SaysHowManyExamplesWithTheirIntervalAndDrawsTheCurve) {
  const ScratchFolder folder;
  const Words words = {"fewest",  "nice:d=6,k=2", "--against", "m=1,2", "--method", "gauss-newton",
                       "--seeds", "10",           "--least",   "8",     "--most",   "20000",
                       "--out",   "curve",        "--style",   "paper", "--json",   "--quiet"};
  const ProgramResult result = run_program(folder.path(), words);
  ASSERT_EQ(result.exit, 0) << result.err;
  const json said = json::parse(result.out);
  ASSERT_EQ(said["curves"].size(), 2U);
  for (const json& curve : said["curves"]) {
    EXPECT_LT(curve["low"], curve["high"]);
    EXPECT_LE(curve["examples"], curve["high"]);
    EXPECT_EQ(curve["budgets"].front()["examples"], 8);
    EXPECT_EQ(curve["budgets"].back()["fitted"], 1);
  }
  EXPECT_THAT(folder.read("curve/success.svg"), HasSubstr("gauss-newton"));
  EXPECT_THAT(folder.read("curve/examples.svg"), HasSubstr("viewBox=\"0 0 312 "));
}

TEST(Fewest, SaysAtOnceHowManySeedsAnIntervalNeedsAndEnds) {
  const ScratchFolder folder;
  const Words words = {"fewest", "nice:d=6,k=2,m=1", "--method", "gauss-newton", "--seeds",
                       "4",      "--least",          "100",      "--out",        "curve"};
  const ProgramResult few = run_program(folder.path(), words);
  ASSERT_EQ(few.exit, 0) << few.err;
  EXPECT_THAT(few.err, ::testing::StartsWith("With 4 seeds no budget has an upper end"));
  EXPECT_THAT(few.err, HasSubstr("needs 10 seeds"));
  EXPECT_THAT(few.out, HasSubstr("4 of 4"));
  EXPECT_THAT(folder.read("curve/success.csv"), HasSubstr("gauss-newton,"));
  const std::string journal = folder.read("curve/journal.jsonl");
  EXPECT_LE(std::count(journal.begin(), journal.end(), '\n'), 5 * 4) << "not up to 10^7 examples";
  EXPECT_EQ(run_program(folder.path(), words).out, few.out);
  EXPECT_EQ(folder.read("curve/journal.jsonl"), journal) << "nothing is done again";
}

TEST(Fewest, RefusesWhatItCannotDo) {
  const auto refusal = [](Words words) {
    words.insert(words.begin(), {"fewest", "nice:d=6,k=2,m=1"});
    const ProgramResult result = run_program("/", words);
    EXPECT_EQ(result.exit, 2);
    return result.err;
  };
  EXPECT_THAT(refusal({"--against", "m="}), HasSubstr("m=2,3,4"));
  EXPECT_THAT(refusal({"--against", "m=1,,2"}), HasSubstr("m=2,3,4"));
  EXPECT_THAT(refusal({"--style", "paper"}), HasSubstr("--out"));
  EXPECT_THAT(refusal({"--width", "1in"}), HasSubstr("1.5in"));
  EXPECT_THAT(refusal({"--width", "3furlongs"}), HasSubstr("1.5in"));
  EXPECT_THAT(refusal({"--probability", "1"}), HasSubstr("below 1"));
}

TEST(PaperCuts, ARefusalOfAnAttackIsExitThree) {
  const ProgramResult refused =
      run_program("/", {"lwe", "attack", "lpn:n=16,rate=0.125,samples=200", "--method", "exhaustive"});
  EXPECT_EQ(refused.exit, 3);
  EXPECT_THAT(refused.out, HasSubstr("refused"));
  EXPECT_EQ(
      run_program("/", {"lwe", "attack", "lpn:n=16,rate=0.125,samples=400", "--method", "exhaustive"}).exit,
      0);
}

TEST(PaperCuts, InspectSaysWhatAPlanIs) {
  const ScratchFolder folder;
  folder.write("study.toml", "[[grid]]\nsource = 'nice:d=8,k=2'\nmethod = 'gauss-newton'\nseeds = 3\n");
  const ProgramResult said = run_program(folder.path(), {"inspect", "study.toml"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("3 runs"));
  EXPECT_THAT(said.out, HasSubstr("hardhead sweep study.toml"));
}

}  // namespace
}  // namespace hardhead::app
