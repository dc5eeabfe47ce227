#include "base/text/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "tests/refusal.h"

namespace hardhead {
namespace {

using nlohmann::json, nlohmann::ordered_json;
using testing::HasSubstr;

std::string json_refusal(std::string_view text, int max_depth, std::size_t offset = 0) {
  return refusal_of([&] { parse_json<json>(text, max_depth, offset); });
}

TEST(Json, KeepsWhatIsThereInItsOrder) {
  const auto document = parse_json<ordered_json>(R"({"b": [1, {"c": "x"}], "a": null})", 3);
  EXPECT_EQ(document.dump(), R"({"b":[1,{"c":"x"}],"a":null})");
}

TEST(Json, IsRefusedBelowTheDepthThatIsAllowedAndNotAbove) {
  EXPECT_EQ(json_refusal("7", 0), "accepted");
  EXPECT_THAT(json_refusal("[]", 0), HasSubstr("nested too deeply: more than 0 times"));
  EXPECT_EQ(json_refusal(R"([{"a":[]}])", 3), "accepted");
  EXPECT_THAT(json_refusal(R"([{"a":[]}])", 2), HasSubstr("nested too deeply"));
  EXPECT_THAT(json_refusal(R"([[],[{}]])", 2), HasSubstr("nested too deeply"));
}

TEST(Json, AMillionBracketsAreRefusedOnce) {
  const std::string open(1'000'000, '['), close(1'000'000, ']');
  EXPECT_THAT(json_refusal(open + close, 3), HasSubstr("nested too deeply"));
  EXPECT_THAT(json_refusal(open, 3), HasSubstr("nested too deeply"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(json_refusal(objects, 3), HasSubstr("nested too deeply"));
}

TEST(Json, ANameComesOnceInAnObjectAndMayComeAgainInAnother) {
  EXPECT_EQ(json_refusal(R"({"a": {"a": 1}, "b": {"a": 1}})", 2), "accepted");
  EXPECT_EQ(json_refusal(R"([{"a": 1}, {"a": 1}])", 2), "accepted");
  EXPECT_THAT(json_refusal(R"({"a": 1, "b": {"c": 1}, "a": 1})", 2), HasSubstr("the name \"a\" twice"));
  EXPECT_THAT(json_refusal(R"({"a": {"b": [], "b": 1}})", 3), HasSubstr("the name \"b\" twice"));
}

TEST(Json, SaysAtWhichOffsetOfTheFileItEnds) {
  EXPECT_EQ(json_refusal("", 1), "not JSON at offset 0");
  EXPECT_EQ(json_refusal("", 1, 8), "not JSON at offset 8");
  EXPECT_EQ(json_refusal("[1,]", 1, 8), "not JSON at offset 11");
  EXPECT_EQ(json_refusal(std::string("[]\0", 3), 1, 8), "not JSON: a zero byte at offset 10");
  EXPECT_EQ(json_refusal("{\"\xc3\x28\": 1}", 1), "not JSON at offset 3");
  EXPECT_THAT(json_refusal("[1e999]", 1), HasSubstr("not JSON: "));
}

TEST(Json, MembersComeInTheirOrderWithTheirValues) {
  const std::string text =
      R"({"b": {"x": [1, [2, -3], {}], "y": "z"}, "a": null, "c": [], "d": [[{"e": 1.5}], true]})";
  ordered_json seen = ordered_json::object();
  for_each_json_member(text, 5, [&](const std::string& name, const json& value) { seen[name] = value; });
  EXPECT_EQ(seen.dump(), ordered_json::parse(text).dump());
}

TEST(Json, MembersAreRefusedAsWholeDocumentsAre) {
  const auto refusal = [](std::string_view text, int max_depth = 3) {
    return refusal_of(
        [&] { for_each_json_member(text, max_depth, [](const std::string&, const json&) {}, 8); });
  };
  EXPECT_EQ(refusal("{}"), "accepted");
  for (const char* other : {"[]", "7", "null", "\"a\"", "[{}]"})
    EXPECT_EQ(refusal(other), "not a JSON object") << other;
  EXPECT_THAT(refusal(R"({"a": {"b": [[]]}})"), HasSubstr("nested too deeply: more than 3 times"));
  EXPECT_THAT(refusal(R"({"a": 1, "b": {}, "a": 2})"), HasSubstr("the name \"a\" twice"));
  EXPECT_THAT(refusal(R"({"a": {"b": 1, "b": 1}})"), HasSubstr("the name \"b\" twice"));
  EXPECT_EQ(refusal("{}x"), "not JSON at offset 10");
  EXPECT_THAT(refusal(R"({"a": 1e999})"), HasSubstr("not JSON: "));
}

TEST(Json, ManyObjectsAreReadInLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += fmt::format("{}\"{}\":{{\"x\":[{}]}}", i == 0 ? "" : ",", i, i);
  text += "}";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_json<json>(text, 3).size(), 100'000U);
  int members = 0;
  for_each_json_member(text, 3, [&](const std::string&, const json&) { ++members; });
  EXPECT_EQ(members, 100'000);
  // Quadratic time takes minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace hardhead
