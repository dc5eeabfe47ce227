#include "base/text/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace hardhead {
namespace {

enum class Route { practical, paper };

constexpr auto enum_names(Route) {
  return std::to_array<EnumName<Route>>({{Route::practical, "practical"}, {Route::paper, "paper"}});
}

struct Options {
  std::int64_t steps = 400;
  int starts = 3;
  double rate = 0.01;
  Route route = Route::practical;
};

OptionTable<Options> table_with(Options defaults) {
  return OptionTable<Options>(defaults)
      .integer("steps", &Options::steps, 1, 1e9, "steps T")
      .integer("starts", &Options::starts, 1, 10, "starts")
      .real("rate", &Options::rate, 0, 1, "rate")
      .choice("route", &Options::route, "route");
}

TEST(OptionTable, ReadsWhatASpecGivesAndTheStructsDefaults) {
  const Options options = table_with({}).read(Spec::parse("toy:steps=7,route=paper"));
  EXPECT_EQ(options.steps, 7);
  EXPECT_EQ(options.starts, 3);
  EXPECT_EQ(options.rate, 0.01);
  EXPECT_EQ(options.route, Route::paper);
}

struct Outer {
  Options inner;
  std::int64_t seed = 1;
};

TEST(OptionTable, RowsAreSharedAsAPartOfOtherOptionsOrOneAfterAnother) {
  const auto first = OptionTable<Options>({.steps = 5}).integer("steps", &Options::steps, 1, 9, "steps");
  const auto second = OptionTable<Options>({.rate = 0.5}).real("rate", &Options::rate, 0, 1, "rate");
  const auto outer = OptionTable<Outer>()
                         .part(&Outer::inner, first)
                         .integer("seed", &Outer::seed, 0, 9, "seed")
                         .part(&Outer::inner, second);
  EXPECT_EQ(outer.canonical(Spec::parse("toy:rate=1")).str(), "toy:steps=5,seed=1,rate=1");
  const Outer read = outer.read(Spec::parse("toy:seed=3"));
  EXPECT_EQ(read.inner.steps, 5);
  EXPECT_EQ(read.inner.rate, 0.5);
  EXPECT_EQ(read.inner.starts, 3);
  EXPECT_EQ(read.seed, 3);
  const auto both = OptionTable<Options>(first).append(second);
  EXPECT_EQ(both.canonical(Spec::parse("toy")).str(), "toy:steps=5,rate=0.5");
  EXPECT_EQ(both.read(Spec::parse("toy")).rate, 0.5);
}

TEST(OptionTable, DefaultsAreThoseItIsMadeWith) {
  const OptionTable<Options> table = table_with({.steps = 5, .route = Route::paper});
  EXPECT_EQ(table.read(Spec::parse("toy")).steps, 5);
  EXPECT_EQ(table.read(Spec::parse("toy")).route, Route::paper);
  EXPECT_EQ(table.canonical(Spec::parse("toy:rate=0.50")).str(), "toy:steps=5,starts=3,rate=0.5,route=paper");
  EXPECT_THAT(table.rows().back().choices, testing::ElementsAre("paper", "practical"));
}

TEST(OptionTable, RefusesAnUnknownKeyAndAValueOutOfRange) {
  const auto message = [](const char* spec) {
    try {
      table_with({}).read(Spec::parse(spec));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("toy:step=7"), testing::HasSubstr("did you mean 'steps'?"));
  EXPECT_THAT(message("toy:starts=11"),
              testing::HasSubstr("starts=11 is not an integer in the range 1 .. 10"));
  EXPECT_THAT(message("toy:route=best"), testing::HasSubstr("route=best is not one of practical | paper"));
}

TEST(EnumNames, NameAndValueAreInverse) {
  for (const auto& [value, name] : names_and_values<Route>()) {
    EXPECT_EQ(name_of(value), name);
    EXPECT_EQ(value_named<Route>("route", name), value);
  }
  EXPECT_THROW(value_named<Route>("route", "pape"), InputError);
}

}  // namespace
}  // namespace hardhead
