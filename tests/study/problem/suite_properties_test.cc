#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/error.h"
#include "study/problem/suite.h"

namespace hardhead::study {
namespace {

rc::Gen<std::string> specs() {
  return rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc019:=,._-"))));
}

rc::Gen<std::string> digests() {
  return rc::gen::container<std::string>(64, rc::gen::elementOf(std::string("0123456789abcdef")));
}

Suite draw_suite() {
  Suite suite{"toy-v1", *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc #:1"))), {}};
  for (const std::string& spec : *rc::gen::nonEmpty(rc::gen::container<std::set<std::string>>(specs())))
    suite.entries.push_back({spec, *digests()});
  return suite;
}

std::string text_of(const Suite& suite) {
  std::string out = "# " + suite.purpose + "\n";
  for (const SuiteEntry& entry : suite.entries) out += entry.spec + " " + entry.digest + "\n";
  return out;
}

void assert_equal(const Suite& one, const Suite& other) {
  RC_ASSERT(one.name == other.name);
  RC_ASSERT(one.purpose == other.purpose);
  RC_ASSERT(one.entries.size() == other.entries.size());
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    RC_ASSERT(one.entries[i].spec == other.entries[i].spec);
    RC_ASSERT(one.entries[i].digest == other.entries[i].digest);
  }
}

RC_GTEST_PROP(SuiteProperties, ComesBackFromItsText, ()) {
  const Suite suite = draw_suite();
  std::string text = text_of(suite);
  if (*rc::gen::arbitrary<bool>()) text.pop_back();  // the last line may end with the file
  assert_equal(parse_suite(suite.name, text), suite);
}

RC_GTEST_PROP(SuiteProperties, ALineThatIsNoEntryIsRefusedByItsNumber, ()) {
  Suite suite = draw_suite();
  const std::string digest = *digests();
  const std::string bad = *rc::gen::element<std::string>(
      "", "spec", "spec ", "spec " + digest.substr(1), "spec " + digest + "0", "spec  " + digest,
      "spec " + digest + " ", "spec G" + digest.substr(1), suite.entries.front().spec + " " + digest);
  const auto at = *rc::gen::inRange<std::size_t>(1, suite.entries.size() + 1);
  std::string text = "# " + suite.purpose + "\n";
  for (std::size_t i = 0; i < suite.entries.size(); ++i) {
    text += suite.entries[i].spec + " " + suite.entries[i].digest + "\n";
    if (i + 1 == at) text += bad + "\n";
  }
  try {
    parse_suite(suite.name, text);
    RC_FAIL("accepted");
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).find(fmt::format("suite 'toy-v1', line {}:", at + 2)) !=
              std::string::npos);
  }
}

RC_GTEST_PROP(SuiteProperties, APurposeAndAnEntryAreNeeded, ()) {
  const Suite suite = draw_suite();
  const std::string text = text_of(suite);
  RC_ASSERT_THROWS_AS(parse_suite("toy-v1", text.substr(text.find('\n') + 1)), InputError);
  RC_ASSERT_THROWS_AS(parse_suite("toy-v1", text.substr(0, text.find('\n') + 1)), InputError);
}

}  // namespace
}  // namespace hardhead::study
