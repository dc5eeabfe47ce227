#include "hardness/concepts/named_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "hardness/families/family.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

std::string class_refusal(const std::string& spec) {
  return refusal_of([&] { make_class(Spec::parse(spec)); });
}

TEST(NamedClass, TheParitiesTakeTheSpecsOfTheirFamily) {
  const std::vector<Parameter>& family = find_family("parity").parameters;
  const auto own = std::ranges::find(named_classes(), "parity", &NamedClass::name);
  ASSERT_EQ(own->parameters.size(), family.size());
  for (std::size_t i = 0; i < family.size(); ++i) {
    EXPECT_EQ(own->parameters[i].name, family[i].name);
    EXPECT_EQ(own->parameters[i].fallback, family[i].fallback);
    EXPECT_EQ(own->parameters[i].range(), family[i].range());
  }
  EXPECT_EQ(make_class(Spec::parse("parity:d=16,m=3,base=4,seed=5"))->size(), 455);
  EXPECT_EQ(make_class(Spec::parse("parity"))->size(), 27132) << "C(19, 6): the family's d = 20, m = 6";
}

TEST(NamedClass, EachHasAsManyMembersAsItsSummarySays) {
  const std::vector<std::pair<std::string, std::int64_t>> sizes = {
      {"parities:n=5", 32}, {"subsets:n=6,m=2", 15}, {"dictators:n=5", 10},
      {"points:n=3", 8},    {"thresholds:n=4", 16},  {"bent:n=2", 16}};
  for (const auto& [spec, size] : sizes) EXPECT_EQ(make_class(Spec::parse(spec))->size(), size) << spec;
}

TEST(NamedClass, RefusalsNameTheValueAndTheLimit) {
  EXPECT_THAT(class_refusal("parity:d=25"), testing::HasSubstr("n=25 bits is not in 1 .. 24"));
  EXPECT_THAT(class_refusal("parity:d=8,m=8"), testing::HasSubstr("m=8 is not in 0 .. 7"));
  EXPECT_THAT(class_refusal("parity:bas=4"), testing::HasSubstr("did you mean 'base'?"));
  EXPECT_THAT(class_refusal("points:n=13"),
              testing::HasSubstr("n=13 is not an integer in the range 1 .. 12"));
  EXPECT_THAT(class_refusal("nice"), testing::HasSubstr("unknown class 'nice'"));
}

}  // namespace
}  // namespace hardhead::hardness
