#include "study/problem/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/text/spec.h"
#include "hardness/families/family.h"
#include "hardness/niceness/niceness.h"
#include "study/problem/source.h"

namespace hardhead::study {
namespace {

using testing::HasSubstr;

TEST(Suite, EveryInstanceIsMadeAsItWasPublished) {
  ASSERT_GE(suites().size(), 5u);
  for (const Suite& suite : suites())
    for (const SuiteMismatch& mismatch : verify(suite))
      ADD_FAILURE() << suite.name << ": " << mismatch.entry.spec << " is now " << mismatch.found;
}

TEST(Suite, EntriesAreCanonicalAndEachIsAnotherInstance) {
  for (const Suite& suite : suites()) {
    std::set<std::string> digests;
    for (const SuiteEntry& entry : suite.entries) {
      EXPECT_TRUE(digests.insert(entry.digest).second) << entry.spec;
      const Spec spec = Spec::parse(entry.spec);
      EXPECT_EQ(Parameters(spec, hardness::find_family(spec.name).parameters).canonical().str(), entry.spec);
    }
  }
}

// What its purpose says: the theorem's hypotheses hold as they are written, with every constant at 1.
TEST(Suite, EveryLayerOfTheLargeNiceOneMeetsEveryCondition) {
  for (const SuiteEntry& entry : find_suite("nice-large-v1").entries) {
    const hardness::Instance instance = hardness::make_instance(Spec::parse(entry.spec));
    const hardness::Certificate certificate = hardness::certify(instance.layer, instance.k);
    EXPECT_EQ(certificate.nice(), true) << entry.spec;
    EXPECT_EQ(certificate.counts().failed, 0U) << entry.spec;
    EXPECT_EQ(certificate.counts().met, instance.layer.m() == 1 ? 7U : 11U) << entry.spec;
  }
}

TEST(Suite, NamesAnEntryThatIsMadeOtherwise) {
  Suite suite{"mine-v1", "a test", {make_entry("nice:d=6"), make_entry("parity:d=6,m=2")}};
  EXPECT_TRUE(verify(suite).empty());
  suite.entries[1].digest[0] = suite.entries[1].digest[0] == 'a' ? 'b' : 'a';
  suite.entries.push_back({"nice:d=6,knob=3", std::string(64, '0')});
  const auto wrong = verify(suite);
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_THAT(wrong[0].entry.spec, HasSubstr("parity:d=6,m=2"));
  EXPECT_EQ(wrong[0].found, make_entry("parity:d=6,m=2").digest);
  EXPECT_THAT(wrong[1].found, HasSubstr("'knob'"));
}

TEST(Suite, StandsForItsEntriesAsTheyAre) {
  const Suite& suite = suites().front();
  const auto series = series_of("suite:" + suite.name);
  ASSERT_EQ(series.size(), suite.entries.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    EXPECT_EQ(make_entry(series[i].member(0, 77).name()).digest, suite.entries[i].digest);
    EXPECT_EQ(series[i].member(3, 77), series[i].member(0, 77)) << "seeds of a suite's instances are its own";
  }
  EXPECT_EQ(series_of("nice:d=6").front().member(3, 77).name(), "nice:d=6,seed=80");
  EXPECT_THAT([] { series_of("suite:nice-v0"); }, testing::ThrowsMessage<InputError>(HasSubstr("nice-v0")));
}

TEST(Suite, RefusesAListThatIsNone) {
  const std::string digest(64, '0');
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { parse_suite("mine-v1", text); },
                testing::ThrowsMessage<InputError>(HasSubstr(message)));
  };
  refused("", "suite 'mine-v1', line 0: the suite has no entry");
  refused("# what for\n", "line 1: the suite has no entry");
  refused("nice " + digest, "line 1: '# ' and what the suite is for");
  refused("# what for\nnice\n", "line 2: 'nice': a spec, a space and the 64 digits");
  refused("# what for\nnice 00\n", "line 2: 'nice 00': ");
  refused("# what for\nnice " + digest + "\nnice " + digest, "line 3: 'nice' comes twice");
  EXPECT_EQ(parse_suite("mine-v1", "# what for\nnice " + digest).entries.size(), 1u);
}

}  // namespace
}  // namespace hardhead::study
