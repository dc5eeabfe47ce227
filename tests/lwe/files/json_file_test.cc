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
  EXPECT_THAT(keys, testing::ElementsAre("schema", "problem", "n", "q", "secret", "p", "rounding", "a", "b",
                                         "sha256"));
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
    if (key == "sha256" || key == "rounding") continue;  // a note: below
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
  EXPECT_THROW(read_solution(folder.path("c.json"), 97), InputError);
}

TEST(JsonFile, WithoutADigestIsReadWithANote) {
  const ScratchFolder folder;
  write_json_challenge(folder.path("c.json"), rounded());
  EXPECT_TRUE(read_challenge(folder.path("c.json")).notes.empty());
  const auto whole = nlohmann::ordered_json::parse(folder.read("c.json"));
  for (const auto& digest : {nlohmann::ordered_json(""), nlohmann::ordered_json(nullptr)}) {
    auto json = whole;
    json["sha256"] = digest;
    EXPECT_THAT(read_challenge(folder.write("d.json", json.dump(2))).notes,
                testing::ElementsAre(HasSubstr("no sha256")));
  }
  auto json = whole;
  json.erase("sha256");
  EXPECT_EQ(content_digest(read_challenge(folder.write("e.json", json.dump()))), content_digest(rounded()));
  json["sha256"] = 7;
  EXPECT_THAT(says(folder, json.dump()), HasSubstr("sha256: "));
}

TEST(JsonFile, MayHaveAByteOrderMarkAndNegativeResidues) {
  const ScratchFolder folder;
  write_json_challenge(folder.path("c.json"), rounded());
  auto json = nlohmann::ordered_json::parse(folder.read("c.json"));
  json["a"] = {{-15, 2}, {3, -1}};
  json["b"] = {-4 + 4, -1};
  const Challenge read = read_challenge(folder.write("n.json", "\xEF\xBB\xBF\n" + json.dump(1)));
  EXPECT_EQ(read.samples.a, rounded().samples.a);
  EXPECT_EQ(read.samples.b, rounded().samples.b);
  json["a"][0][0] = -16;
  EXPECT_THAT(says(folder, json.dump()), HasSubstr("a: -16 is not an integer in -q + 1 .. 2^32 - 1, q=16"));
}

TEST(JsonFile, RoundingIsKnownOnlyIfTheFileSaysIt) {
  const ScratchFolder folder;
  Challenge nearest = rounded();
  nearest.parameters.rounding = Rounding::nearest;
  write_json_challenge(folder.path("c.json"), nearest);
  const Challenge back = read_json_challenge(folder.path("c.json"));
  EXPECT_EQ(back.parameters, nearest.parameters);
  EXPECT_TRUE(back.rounding_known);
  EXPECT_NE(content_digest(nearest), content_digest(rounded()));

  write_json_challenge(folder.path("f.json"), rounded());
  auto json = nlohmann::ordered_json::parse(folder.read("f.json"));
  json.erase("rounding");
  const Challenge open = read_json_challenge(folder.write("o.json", json.dump()));
  EXPECT_FALSE(open.rounding_known);
  EXPECT_THAT(open.notes, testing::ElementsAre(HasSubstr("no `rounding`")));
  EXPECT_EQ(open.readings().size(), 3U);
  json["rounding"] = "up";
  EXPECT_THAT(says(folder, json.dump()), HasSubstr("rounding: "));
}

TEST(Solution, NeedNotNameItsChallengeAndMayHaveNegativeEntries) {
  const ScratchFolder folder;
  const auto read = [&](const std::string& instance, const std::string& secret) {
    return read_solution(folder.write("s.json", R"({"schema":"hardhead.lwe-solution/1","instance":")" +
                                                    instance + R"(","secret":)" + secret + "}"),
                         16);
  };
  EXPECT_EQ(read("", "[-1, 2]").secret, (std::vector<Residue>{15, 2}));
  EXPECT_EQ(read("", "[1, 2]").objection(rounded()), "");
  EXPECT_EQ(read(content_digest(rounded()), "[1, 2]").objection(rounded()), "");
  EXPECT_THAT(read("another", "[1, 2]").objection(rounded()), HasSubstr("names another challenge: another"));
  EXPECT_THROW(read("", "[-16, 2]"), InputError);
  EXPECT_THROW(read("", "[1.5, 2]"), InputError);
}

}  // namespace
}  // namespace hardhead::lwe
