#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

json certify(const ScratchFolder& folder, const Arguments& arguments) {
  Arguments all = {"certify", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ProgramResult result = run_program(folder.path(), all);
  EXPECT_EQ(result.exit, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(Certify, ReportsEveryFieldOfEveryCondition) {
  const ScratchFolder folder;
  const json report = certify(folder, {"nice:d=8,k=2,m=3"});
  EXPECT_EQ(report["schema"], "hardhead.certificate/1");
  EXPECT_EQ(report["d"], 8);
  EXPECT_EQ(report["m"], 3);
  EXPECT_EQ(report["k"], 2);
  EXPECT_TRUE(report["nice"].is_boolean());
  EXPECT_EQ(report["conditions"].size(), 6 * 3 + 3 + 3 + 2 * 3 + 1u);
  for (const json& condition : report["conditions"])
    for (const char* field : {"name", "subject", "value", "threshold", "margin", "pass", "applicable",
                              "reason", "counts", "formula", "constant", "constant_at_flip"})
      EXPECT_TRUE(condition.contains(field)) << field;
}

TEST(Certify, TheConstantsItPrintsMakeALayerNice) {
  const ScratchFolder folder;
  EXPECT_EQ(certify(folder, {"nice"})["nice"], false);
  const ProgramResult strict = run_program(folder.path(), {"certify", "nice"});
  EXPECT_THAT(strict.out, HasSubstr(" of 11 conditions at constant 1; fails, with margin: "));
  Arguments again = {"nice"};
  for (std::size_t at = 0; (at = strict.out.find("--constant", at)) != std::string::npos; ++at) {
    const std::size_t word = strict.out.find_first_not_of(" \n", at + 10);
    again.insert(again.end(),
                 {"--constant", strict.out.substr(word, strict.out.find_first_of(" \n", word) - word)});
  }
  EXPECT_EQ(certify(folder, again)["nice"], true);
}

TEST(Certify, ALayerFileThatDoesNotSayHowManyTokensIsJudgedWithoutOrTold) {
  const ScratchFolder folder;
  const std::string layer = std::string(HARDHEAD_TEST_DIR) + "/data/torch_mha_e16_h2_k3.layer.safetensors";
  const json silent = certify(folder, {layer});
  EXPECT_TRUE(silent["k"].is_null());
  EXPECT_TRUE(silent["nice"].is_null());
  for (const json& condition : silent["conditions"])
    if (condition["name"] == "theta_stable_rank") {
      EXPECT_FALSE(condition["applicable"]);
      EXPECT_TRUE(condition["pass"].is_null());
      EXPECT_GT(condition["value"], 1);
    }
  const json told = certify(folder, {layer, "--tokens", "3"});
  EXPECT_EQ(told["nice"], false);

  ASSERT_EQ(run_program(folder.path(), {"generate", "nice:d=8,k=5", "-o", "layer"}).exit, 0);
  EXPECT_EQ(certify(folder, {"layer"})["k"], 5);
  EXPECT_EQ(certify(folder, {"layer", "--tokens", "2"})["k"], 2);
}

TEST(Certify, TakesALargeLayer) {
  const ScratchFolder folder;
  EXPECT_EQ(certify(folder, {"nice:d=256,m=4"})["d"], 256);
}

TEST(Certify, CountsWhatIsMetAndShowsARowForEachCondition) {
  const ScratchFolder folder;
  const ProgramResult large = run_program(folder.path(), {"certify", "nice:d=80,k=2,m=2"});
  EXPECT_THAT(large.out, HasSubstr("meets 11 of 11 conditions at constant 1\n"));
  const auto rows = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("\ntheta_stable_rank ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(rows(large.out), 1U);
  const ProgramResult all = run_program(folder.path(), {"certify", "nice:d=8,k=2,m=3", "--all"});
  EXPECT_EQ(rows(all.out), 3U + 1U) << "and its formula";
  const json one = certify(folder, {"nice:d=80,k=2,m=1"});
  EXPECT_EQ(one["met"], 7);
  EXPECT_EQ(one["failed"], 0);
  EXPECT_EQ(one["not_applicable"], 4) << "conditions on pairs of heads";
}

TEST(Certify, SaysInOneLineWhatIsUndecidedWithoutTokens) {
  const ScratchFolder folder;
  const std::string layer = std::string(HARDHEAD_TEST_DIR) + "/data/torch_mha_e16_h2_k3.layer.safetensors";
  EXPECT_THAT(run_program(folder.path(), {"certify", layer}).out,
              HasSubstr("Not decided without --tokens: theta_stable_rank, w_stable_rank, injectivity\n"));
}

TEST(Certify, FiguresAndTablesAreOfCheckpoints) {
  const ScratchFolder folder;
  const ProgramResult refused = run_program(folder.path(), {"certify", "nice", "--figure", "margins.svg"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("--figure margins.svg: it has all layers of a checkpoint"));
}

}  // namespace
}  // namespace hardhead::app
