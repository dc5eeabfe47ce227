#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <tuple>

#include "base/text/option_table.h"

namespace hardhead {
namespace {

enum class Course { practical, paper, mixed };

constexpr auto enum_names(Course) {
  return std::to_array<EnumName<Course>>(
      {{Course::practical, "practical"}, {Course::paper, "paper"}, {Course::mixed, "mixed"}});
}

struct Drawn {
  std::int64_t steps = 400;
  double rate = 0.01;
  Course route = Course::practical;
  std::string file = "none";

  auto fields() const { return std::tie(steps, rate, route, file); }
};

constexpr double least_steps = -1000, most_steps = 1e15, least_rate = -1e300, most_rate = 1e300;

const OptionTable<Drawn>& drawn_table() {
  static const OptionTable<Drawn> all = OptionTable<Drawn>()
                                            .integer("steps", &Drawn::steps, least_steps, most_steps, "steps")
                                            .real("rate", &Drawn::rate, least_rate, most_rate, "rate")
                                            .choice("route", &Drawn::route, "route")
                                            .text("file", &Drawn::file, "file");
  return all;
}

double draw_real() {
  const auto mantissa = static_cast<double>(*rc::gen::inRange<std::int64_t>(-(1LL << 53), 1LL << 53));
  return std::ldexp(mantissa, *rc::gen::inRange(-1100, 900));
}

Drawn draw_options() {
  Drawn out;
  out.steps = *rc::gen::inRange<std::int64_t>(-1000, 1'000'000'000'000'001);
  out.rate = draw_real();
  out.route = *rc::gen::element(Course::practical, Course::paper, Course::mixed);
  out.file = *rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::suchThat(rc::gen::arbitrary<char>(), [](char c) { return c != ','; })));
  return out;
}

/// A spec of these options in one of its many forms: any order, several ways to write a number, defaults left
/// out or not.
Spec written(const Drawn& options) {
  std::vector<std::pair<std::string, std::string>> values = {{"file", options.file}};
  if (options.steps != Drawn().steps || *rc::gen::arbitrary<bool>())
    values.emplace_back("steps", *rc::gen::element<std::string>(fmt::format("{}", options.steps),
                                                                fmt::format("{:020}", options.steps)));
  if (options.rate != Drawn().rate || *rc::gen::arbitrary<bool>())
    values.emplace_back("rate", *rc::gen::element<std::string>(fmt::format("{}", options.rate),
                                                               fmt::format("{:.17g}", options.rate),
                                                               fmt::format("{:.30e}", options.rate)));
  if (options.route != Drawn().route || *rc::gen::arbitrary<bool>())
    values.emplace_back("route", name_of(options.route));
  const auto turn = *rc::gen::inRange<std::size_t>(0, values.size());
  std::ranges::rotate(values, values.begin() + static_cast<std::ptrdiff_t>(turn));
  return {"toy", std::move(values)};
}

RC_GTEST_PROP(OptionTableProperties, ReadsWhatWasWritten, ()) {
  const Drawn options = draw_options();
  RC_ASSERT(drawn_table().read(Spec::parse(written(options).str())).fields() == options.fields());
}

RC_GTEST_PROP(OptionTableProperties, TheCanonicalSpecIsTheSameForEveryFormAndForItself, ()) {
  const Drawn options = draw_options();
  const Spec canonical = drawn_table().canonical(written(options));
  RC_ASSERT(drawn_table().canonical(written(options)) == canonical);
  RC_ASSERT(drawn_table().canonical(canonical) == canonical);
  RC_ASSERT(drawn_table().canonical(Spec::parse(canonical.str())) == canonical);
  RC_ASSERT(drawn_table().read(canonical).fields() == options.fields());
}

RC_GTEST_PROP(OptionTableProperties, CanonicalSpecsDifferWhereOptionsDo, ()) {
  const Drawn one = draw_options();
  Drawn other = one;
  other.rate = std::nextafter(one.rate, *rc::gen::element(-1e300, 1e300));
  other.steps += *rc::gen::inRange(-1, 2);
  other.steps = std::clamp<std::int64_t>(other.steps, -1000, 1'000'000'000'000'000);
  RC_ASSERT((drawn_table().canonical(written(one)) == drawn_table().canonical(written(other))) ==
            (one.fields() == other.fields()));
}

RC_GTEST_PROP(OptionTableProperties, WhatIsOutOfRangeOrOfAnotherKindIsRefused, ()) {
  static const std::vector<std::pair<std::string, std::string>> refused = {{"steps", "-1001"},
                                                                           {"steps", "1000000000000001"},
                                                                           {"steps", "9223372036854775808"},
                                                                           {"steps", "1.5"},
                                                                           {"steps", "+1"},
                                                                           {"steps", " 1"},
                                                                           {"steps", "1e-3"},
                                                                           {"steps", "0x10"},
                                                                           {"rate", "nan"},
                                                                           {"rate", "inf"},
                                                                           {"rate", "1e301"},
                                                                           {"rate", "-1e301"},
                                                                           {"rate", "1e999"},
                                                                           {"rate", "1,"},
                                                                           {"rate", "1 "},
                                                                           {"rate", "+1"},
                                                                           {"route", "papers"},
                                                                           {"stepss", "1"}};
  Spec spec = written(draw_options());
  const auto bad = *rc::gen::elementOf(refused);
  std::erase_if(spec.values, [&](const auto& value) { return value.first == bad.first; });
  spec.values.push_back(bad);
  RC_ASSERT_THROWS_AS(drawn_table().read(spec), InputError);
}

}  // namespace
}  // namespace hardhead
