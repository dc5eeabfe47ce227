#include "base/text/record_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/text/record_fields.h"

namespace hardhead {

// Not in an anonymous namespace: enum_names() and describe() are found by their arguments.
namespace record_test {

enum class Kind { small, large };

constexpr auto enum_names(Kind) {
  return std::to_array<EnumName<Kind>>({{Kind::small, "small"}, {Kind::large, "large"}});
}

struct Ends {
  double low = 0, high = 0;
};

struct Part {
  std::string name{};
  std::vector<std::pair<std::string, double>> measures{};
};

template <class Visit>
void describe(Visit& visit, const Part*) {
  visit("name", &Part::name);
  visit.rest(&Part::measures);
}

struct Whole {
  Part part{};
  std::optional<Kind> kind{};
  double real = 0;
  std::optional<std::int64_t> count{};
  std::optional<Ends> interval{};
  std::vector<std::optional<double>> list{};
  std::vector<Part> parts{};
  std::string text{};
  bool yes = false;
  std::uint64_t added = 7;

  std::string twice() const { return text + text; }
};

template <class Visit>
void describe(Visit& visit, const Whole*) {
  visit("inner.name", &Whole::part, &Part::name);
  visit("inner.kind", &Whole::kind);
  visit("real", &Whole::real);
  visit("count", &Whole::count);
  visit("interval", &Whole::interval);
  visit("list", &Whole::list);
  visit("parts", &Whole::parts);
  visit.if_any("text", &Whole::text);
  visit("twice", &Whole::twice);
  visit.group("group", &Whole::yes, [](auto& of) { of("yes", &Whole::yes); });
  visit.later("added", &Whole::added);
}

}  // namespace record_test

namespace {

using record_test::Kind;
using record_test::Whole;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Whole some() {
  return {.part = {.name = "a", .measures = {}},
          .kind = Kind::large,
          .real = 1.5,
          .count = 3,
          .interval = record_test::Ends{1, 2},
          .list = {1.0, std::nullopt},
          .parts = {{.name = "b", .measures = {{"x", 2}, {"y", NAN}}}},
          .text = "t",
          .yes = true,
          .added = 9};
}

TEST(Record, ItsJsonHasTheFieldsInTheOrderOfTheDescription) {
  EXPECT_EQ(
      record_to_json(some()).dump(),
      R"({"inner":{"name":"a","kind":"large"},"real":1.5,"count":3,"interval":[1.0,2.0],"list":[1.0,null],)"
      R"("parts":[{"name":"b","x":2.0,"y":null}],"text":"t","twice":"tt","group":{"yes":true},"added":9})");
  const Json empty = record_to_json(Whole{.real = INFINITY});
  for (const char* key : {"real", "count", "interval", "text", "group"})
    EXPECT_TRUE(empty.at(key).is_null()) << key;
  EXPECT_TRUE(empty.at("inner").at("kind").is_null());
}

TEST(Record, IsReadAsItWasWritten) {
  for (const Whole& whole : {some(), Whole{}}) {
    const Json json = record_to_json(whole);
    Whole again;
    read_record(JsonObject(json, "here"), again);
    EXPECT_EQ(record_to_json(again), json);
  }
}

TEST(Record, AFieldThatIsMissingOrOfAnotherTypeIsNamed) {
  const auto refusal = [](const char* key, const Json& value) -> std::string {
    Json json = record_to_json(some());
    if (value.is_discarded())
      json.erase(key);
    else
      json[key] = value;
    Whole out;
    try {
      read_record(JsonObject(json, "here"), out);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const Json missing(Json::value_t::discarded);
  EXPECT_THAT(refusal("real", missing), HasSubstr("here, real: is missing"));
  EXPECT_THAT(refusal("real", "1"), HasSubstr("here, real: a number is expected"));
  EXPECT_THAT(refusal("interval", Json::array({1})), HasSubstr("here, interval: two numbers"));
  EXPECT_THAT(refusal("parts", Json::array({1})), HasSubstr("here, parts 1: an object is expected"));
  EXPECT_THAT(refusal("inner", Json{{"name", "a"}, {"kind", "lare"}}), HasSubstr("did you mean 'large'"));
  EXPECT_EQ(refusal("added", missing), "") << "documents of older versions have no such key";
  EXPECT_EQ(refusal("more", 1), "") << "nor do those of newer ones only have these";
}

TEST(Record, ItsFieldsAreListedWithTheirTypes) {
  std::string text;
  for (const RecordField& field : record_fields<Whole>()) text += field.key + ": " + field.type + "\n";
  EXPECT_THAT(text, HasSubstr("inner.kind: `small` \\| `large` or null\n"));
  EXPECT_THAT(text,
              HasSubstr("list: a list of numbers or nulls\nparts: a list of objects\ntext: text or null\n"));
  EXPECT_THAT(text, HasSubstr("group.yes: true or false\n"));
}

}  // namespace
}  // namespace hardhead
