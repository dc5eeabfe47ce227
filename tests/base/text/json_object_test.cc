#include "base/text/json_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/refusal.h"

namespace hardhead {
namespace {

enum class Colour { red, green };

constexpr auto enum_names(Colour) {
  return std::to_array<EnumName<Colour>>({{Colour::red, "red"}, {Colour::green, "green"}});
}

using Json = nlohmann::ordered_json;

const Json& document() {
  static const Json it =
      Json::parse(R"({"name": "x", "count": 7, "share": 0.5, "none": null, "colour": "green",
                                         "list": ["a", "b"], "mixed": ["a", 1], "inner": {"count": -1}})");
  return it;
}

std::string read_refusal(const std::function<void(const JsonObject&)>& read) {
  return refusal_of([&] { read(JsonObject(document(), "file 'f'")); });
}

TEST(JsonObject, ReadsEachTypeByItsKey) {
  const JsonObject json(document(), "file 'f'");
  EXPECT_EQ(json.text("name"), "x");
  EXPECT_EQ(json.integer<int>("count"), 7);
  EXPECT_EQ(json.integer<std::uint64_t>("count"), 7u);
  EXPECT_EQ(json.real("share"), 0.5);
  EXPECT_EQ(json.real("count"), 7);
  EXPECT_TRUE(json.is_null("none"));
  EXPECT_FALSE(json.is_null("name"));
  EXPECT_TRUE(json.has("none"));
  EXPECT_FALSE(json.has("nothing"));
  EXPECT_EQ(json.choice<Colour>("colour", "colour"), Colour::green);
  EXPECT_THAT(json.texts("list"), testing::ElementsAre("a", "b"));
  EXPECT_EQ(json.object("inner").integer<std::int64_t>("count"), -1);
}

TEST(JsonObject, ErrorsNamePlaceKeyAndType) {
  const std::vector<std::pair<std::function<void(const JsonObject&)>, const char*>> refused = {
      {[](const JsonObject& json) { json.text("title"); }, "file 'f', title: is missing"},
      {[](const JsonObject& json) { json.text("count"); },
       "file 'f', count: a string is expected, not number"},
      {[](const JsonObject& json) { json.real("name"); }, "file 'f', name: a number is expected, not string"},
      {[](const JsonObject& json) { json.integer<int>("share"); },
       "file 'f', share: 0.5 is not an integer in -2147483648 .. 2147483647"},
      {[](const JsonObject& json) { json.integer<int>("none"); },
       "file 'f', none: null is not an integer in -2147483648 .. 2147483647"},
      {[](const JsonObject& json) { json.list("name"); }, "file 'f', name: a list is expected, not string"},
      {[](const JsonObject& json) { json.texts("mixed"); },
       "file 'f', mixed: a list of strings is expected, not of number"},
      {[](const JsonObject& json) { json.object("list"); },
       "file 'f', list: an object is expected, not array"},
      {[](const JsonObject& json) { json.object("inner").text("name"); },
       "file 'f', inner, name: is missing"},
      {[](const JsonObject& json) { json.object("inner").integer<std::uint64_t>("count"); },
       "file 'f', inner, count: -1 is not an integer in 0 .. 18446744073709551615"},
      {[](const JsonObject& json) { json.choice<Colour>("name", "colour"); },
       "file 'f', name: unknown colour 'x' (one of: red, green)"},
      {[](const JsonObject& json) { json.checked([] { throw InputError("too large"); }); },
       "file 'f': too large"},
  };
  for (const auto& [read, said] : refused) EXPECT_EQ(read_refusal(read), said);
  EXPECT_EQ(read_refusal([](const JsonObject&) { JsonObject(Json::array(), "file 'f'"); }),
            "file 'f': an object is expected, not array");
}

}  // namespace
}  // namespace hardhead
