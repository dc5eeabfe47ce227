#include "hardness/challenge/ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_THAT(refusal(R"({"schema": "hardhead.solved/1", "answers": [
                          {"challenge": "gone", "answer": "x", "by": "", "commands": []}]})"),
              HasSubstr("there is no challenge 'gone'"));
  EXPECT_THAT(refusal_of([&] { read_ladder(folder.path("none"), {}); }), HasSubstr("No such file"));
}

// The ladder of the project. Its list of what is solved holds no answer that is wrong.
TEST(Ladder, EveryAnswerOfTheProjectsLadderIsRight) {
  const std::vector<Rung> rungs = read_ladder(std::string(HARDHEAD_SOURCE_DIR) + "/challenges", {});
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
