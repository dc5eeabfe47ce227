#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "lwe/files/instance_file.h"
#include "tests/scratch_folder.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

Challenge rounded() {
  ProblemParameters p;
  p.problem = ProblemKind::lwr;
  p.n = 2;
  p.q = 16;
  p.p = 4;
  return {p, {2, {1, 2, 3, 15}, {0, 3}}};
}

/// What reading `text` as a challenge says.
std::string says(const ScratchFolder& folder, const std::string& text) {
  try {
    read_json_challenge(folder.write("c.json", text));
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(folder.path("c.json")));
    return error.what();
  }
  return "accepted";
}

TEST(JsonFile, HasTheKeysOfItsProblemAlone) {
  const ScratchFolder folder;
  write_json_challenge(folder.path("c.json"), rounded());
  const auto json = nlohmann::ordered_json::parse(folder.read("c.json"));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("schema", "problem", "n", "q", "secret", "p", "a", "b", "sha256"));
  EXPECT_EQ(json["a"].dump(), "[[1,2],[3,15]]");
  EXPECT_EQ(json["b"].dump(), "[0,3]");
  EXPECT_EQ(json["sha256"], content_digest(rounded()));
}

TEST(JsonFile, OrderAndSpaceDoNotMatterButEveryValueDoes) {
  const ScratchFolder folder;
  write_json_challenge(folder.path("c.json"), rounded());
  const auto json = nlohmann::json::parse(folder.read("c.json"));  // keys in the order of the alphabet
  EXPECT_EQ(says(folder, json.dump(4)), "accepted");
  for (const auto& [key, value] : json.items()) {
    auto changed = json;
    changed[key] = value.is_string() ? nlohmann::json("other") : nlohmann::json(7);
    EXPECT_NE(says(folder, changed.dump()), "accepted") << key;
    changed.erase(key);
    EXPECT_THAT(says(folder, changed.dump()), HasSubstr(key + ": is missing")) << key;
  }
}

// The digest is of the parameters, too: a file cannot claim another rounding of the same numbers.
TEST(JsonFile, TheDigestBindsTheParameters) {
  const ScratchFolder folder;
  write_json_challenge(folder.path("c.json"), rounded());
  auto json = nlohmann::json::parse(folder.read("c.json"));
  json["q"] = 32;
  EXPECT_THAT(says(folder, json.dump()), HasSubstr("sha256: "));
}

TEST(JsonFile, NamesThatComeTwiceAndUnboundedNumbersAreRefused) {
  const ScratchFolder folder;
  EXPECT_THAT(says(folder, R"({"schema":"hardhead.lwe/1","schema":"hardhead.lwe/1"})"), HasSubstr("twice"));
  EXPECT_THAT(says(folder, R"({"schema":"hardhead.lwe/1","problem":"lwr","n":1e3})"),
              HasSubstr("n: 1000.0 is not an integer"));
  EXPECT_THAT(says(folder, R"({"schema":"hardhead.lwe/1","problem":"lwr","n":true})"),
              HasSubstr("n: boolean is not an integer"));
  EXPECT_THAT(says(folder, R"([1, 2])"), HasSubstr("an object is expected"));
}

TEST(JsonFile, ASolutionIsNoChallenge) {
  const ScratchFolder folder;
  write_solution(folder.path("s.json"), {content_digest(rounded()), {1, 2}});
  EXPECT_THROW(read_json_challenge(folder.path("s.json")), InputError);
  write_json_challenge(folder.path("c.json"), rounded());
  EXPECT_THROW(read_solution(folder.path("c.json")), InputError);
}

}  // namespace
}  // namespace hardhead::lwe
