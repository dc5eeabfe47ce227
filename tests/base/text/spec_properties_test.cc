#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/error.h"
#include "base/text/spec.h"

namespace hardhead {
namespace {

rc::Gen<std::string> words() {
  return rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-"))));
}

/// Any bytes but a comma, which ends a value, and zero, which ends the text of an exception.
rc::Gen<std::string> values() {
  return rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::suchThat(rc::gen::arbitrary<char>(), [](char c) { return c != ',' && c != '\0'; })));
}

Spec draw_spec() {
  Spec spec{*words(), {}};
  for (const std::string& key : *rc::gen::container<std::set<std::string>>(words()))
    spec.values.emplace_back(key, *values());
  return spec;
}

RC_GTEST_PROP(SpecProperties, ParseIsTheInverseOfStr, ()) {
  const Spec spec = draw_spec();
  RC_ASSERT(Spec::parse(spec.str()) == spec);
}

// The text of a spec, with a character changed, put in or taken out.
RC_GTEST_PROP(SpecProperties, ATextIsRefusedOrComesBackAsItWas, ()) {
  std::string text = draw_spec().str();
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const auto cut = *rc::gen::inRange<std::size_t>(0, 2);
  text.replace(at, cut, *rc::gen::element<std::string>("", ":", ",", "=", " ", "a", ",a=b", ",=", "\xff"));
  try {
    RC_ASSERT(Spec::parse(text).str() == text);
    RC_TAG("a spec");
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).find("column") != std::string::npos);
    RC_TAG("refused");
  }
}

RC_GTEST_PROP(SpecProperties, AKeyThatComesTwiceIsRefused, ()) {
  Spec spec = draw_spec();
  const std::string key = *words();
  spec.values.emplace_back(key, *values());
  const auto at = *rc::gen::inRange<std::size_t>(0, spec.values.size() + 1);
  spec.values.insert(spec.values.begin() + static_cast<std::ptrdiff_t>(at), {key, *values()});
  RC_ASSERT_THROWS_AS(Spec::parse(spec.str()), InputError);
}

RC_GTEST_PROP(SpecProperties, ANameOrKeyOfOtherCharactersIsRefused, ()) {
  const std::string bad = *rc::gen::element<std::string>(" ", "", "\n", ".", "\xc3\xa4", "+", "/");
  Spec named = draw_spec(), keyed = named;
  named.name = bad;
  keyed.values.emplace_back(bad, *values());
  RC_ASSERT_THROWS_AS(Spec::parse(named.str()), InputError);
  RC_ASSERT_THROWS_AS(Spec::parse(keyed.str()), InputError);
}

}  // namespace
}  // namespace hardhead
