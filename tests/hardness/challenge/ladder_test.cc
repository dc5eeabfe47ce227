#include "hardness/challenge/ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "hardness/challenge/challenge_file.h"
#include "lwe/files/instance_file.h"
#include "tests/hardness/challenge/challenges.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::challenge {
namespace {

using testing::HasSubstr;

TEST(Ladder, ChecksEveryAnswerAnew) {
  const ScratchFolder folder;
  const MadeLayerChallenge made = made_of("parity:d=20,m=4", 100);
  write_challenge(folder.path("a.safetensors"), made.challenge);
  write_challenge(folder.path("b.safetensors"), made_of("nice:d=4,k=2,m=1", 10).challenge);
  folder.write("note.txt", "no challenge");
  lwe::write_solution(folder.path("right.json"), {"", std::get<0>(made.secret)});
  lwe::write_solution(folder.path("wrong.json"), {"", std::vector<lwe::Residue>(19, 0)});
  folder.write("solved.json", R"({"schema": "hardhead.solved/1", "answers": [
    {"challenge": "a.safetensors", "answer": "right.json", "by": "me", "commands": ["x", "y"]},
    {"challenge": "a.safetensors", "answer": "wrong.json", "by": "someone", "commands": []}]})");
  const std::vector<Rung> rungs = read_ladder(folder.path(), {});
  ASSERT_EQ(rungs.size(), 2u);
  EXPECT_EQ(rungs[0].file, "a.safetensors");
  EXPECT_EQ(rungs[0].examples, 100);
  ASSERT_EQ(rungs[0].answers.size(), 2u);
  EXPECT_EQ(rungs[0].answers[0].by, "me");
  EXPECT_EQ(rungs[0].answers[0].commands, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(rungs[0].answers[0].right);
  EXPECT_FALSE(rungs[0].answers[1].right);
  EXPECT_TRUE(rungs[1].answers.empty());
  EXPECT_EQ(rungs[0].attack, "elimination");
  EXPECT_LT(*rungs[0].predicted_seconds, 1);
  EXPECT_FALSE(rungs[1].predicted_seconds.has_value());
}

TEST(Ladder, AListThatDoesNotFitIsRefused) {
  const ScratchFolder folder;
  const auto refusal = [&](const std::string& list) {
    folder.write("solved.json", list);
    return refusal_of([&] { read_ladder(folder.path(), {}); });
  };
  EXPECT_THAT(refusal("["), HasSubstr("solved.json"));
  EXPECT_THAT(refusal(R"({"schema": "x"})"), HasSubstr("'hardhead.solved/1' is expected"));
  EXPECT_THAT(refusal(R"({"schema": "hardhead.solved/1", "answers": [{"challenge": 1}]})"),
              HasSubstr("answers"));
  EXPECT_THAT(refusal_of([&] { read_ladder(folder.path("none"), {}); }), HasSubstr("No such file"));
}

TEST(Ladder, WhatCannotBeReadIsSaidAndTheOthersGoOn) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path("ladder"));
  const std::string folder = scratch.path("ladder");
  const MadeLayerChallenge made = made_of("parity:d=20,m=4", 100);
  write_challenge(folder + "/b.safetensors", made.challenge);
  scratch.write("ladder/a.json", R"({"schema": "hardhead.lwe/1", "problem": "lwe"})");
  lwe::write_solution(scratch.path("secret.json"), {"", std::get<0>(made.secret)});
  std::filesystem::create_symlink("../secret.json", folder + "/link.json");
  nlohmann::json answers = nlohmann::json::array();
  for (const std::string& answer : {std::string("../secret.json"), scratch.path("secret.json"),
                                    std::string("link.json"), std::string("none")})
    answers.push_back({{"challenge", "b.safetensors"},
                       {"answer", answer},
                       {"by", "me"},
                       {"commands", nlohmann::json::array()}});
  for (const char* challenge : {"gone", ""})
    answers.push_back(
        {{"challenge", challenge}, {"answer", "x"}, {"by", "me"}, {"commands", nlohmann::json::array()}});
  scratch.write("ladder/solved.json",
                nlohmann::json{{"schema", "hardhead.solved/1"}, {"answers", answers}}.dump());
  const std::vector<Rung> rungs = read_ladder(folder, {});
  ASSERT_EQ(rungs.size(), 4u);
  EXPECT_THAT(rungs[0].problem, HasSubstr("a.json"));
  EXPECT_EQ(rungs[1].problem, "");
  ASSERT_EQ(rungs[1].answers.size(), 4u);
  for (const KnownAnswer& answer : rungs[1].answers) {
    EXPECT_FALSE(answer.right);
    EXPECT_THAT(answer.problem, HasSubstr("is not a file of the folder"));
  }
  EXPECT_EQ(rungs[2].file, "gone");
  EXPECT_THAT(rungs[2].problem, HasSubstr("there is no such challenge"));
  EXPECT_EQ(rungs[3].file, "");
}

// The ladder of the project. Its list of what is solved holds no answer that is wrong.
TEST(Ladder, EveryAnswerOfTheProjectsLadderIsRight) {
  const std::vector<Rung> rungs = read_ladder(std::string(HARDHEAD_SOURCE_DIR) + "/docs/challenges", {});
  EXPECT_GE(rungs.size(), 15u);
  std::size_t solved = 0;
  for (const Rung& rung : rungs)
    for (const KnownAnswer& answer : rung.answers) {
      ++solved;
      EXPECT_TRUE(answer.right) << rung.file << " by " << answer.by;
      EXPECT_FALSE(answer.commands.empty()) << rung.file;
    }
  EXPECT_GE(solved, 5u);
}

}  // namespace
}  // namespace hardhead::challenge
