#include "base/text/parameters.h"

#include "base/error.h"

namespace hardhead {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

const std::vector<Parameter>& table() {
  static const std::vector<Parameter> rows{
      Parameter::integer("d", 16, 2, 512, "features"),
      Parameter::integer("heads", 3, 1, 64, "heads"),
      Parameter::real("noise", 0.25, 0, 1, "standard deviation of label noise"),
      Parameter::real("scale", 1, -2, std::numeric_limits<double>::infinity(), "scale of theta"),
      Parameter::choice("variant", {"exact", "minimal"}, "which steps"),
  };
  return rows;
}

Parameters parse(const std::string& text) {
  return {Spec::parse(text), table()};
}

TEST(Parameters, DefaultsFillWhatIsNotGiven) {
  const Parameters p = parse("toy:heads=7");
  EXPECT_EQ(p.integer("d"), 16);
  EXPECT_EQ(p.integer("heads"), 7);
  EXPECT_EQ(p.real("noise"), 0.25);
  EXPECT_EQ(p.text("variant"), "exact");
}

TEST(Parameters, CanonicalFormIsTheSameForSpecsThatMeanTheSame) {
  const std::string canonical = "toy:d=16,heads=3,noise=0.5,scale=0,variant=minimal";
  for (const char* text :
       {"toy:noise=0.5,variant=minimal,scale=0", "toy:variant=minimal,noise=5e-1,d=16,scale=-0",
        "toy:scale=0.0,heads=03,d=016,noise=0.500,variant=minimal",
        "toy:d=16,heads=3,noise=0.5,scale=0,variant=minimal"})
    EXPECT_EQ(parse(text).canonical().str(), canonical) << text;
  EXPECT_NE(parse("toy").canonical().str(), canonical);
}

TEST(Parameters, CanonicalRealsReadBackToTheSameBits) {
  for (const char* text : {"0.1", "0.30000000000000004", "5e-324", "0.333333333333333333333"}) {
    const Parameters once = parse(std::string("toy:noise=") + text);
    EXPECT_EQ(Parameters(once.canonical(), table()).real("noise"), once.real("noise"));
  }
}

TEST(Parameters, RangesIncludeTheirEnds) {
  EXPECT_EQ(parse("toy:d=2").integer("d"), 2);
  EXPECT_EQ(parse("toy:d=512").integer("d"), 512);
  EXPECT_EQ(parse("toy:noise=1").real("noise"), 1.0);
  EXPECT_EQ(parse("toy:scale=1e300").real("scale"), 1e300);
}

TEST(Parameters, RejectionsNameSpecKeyValueAndConstraint) {
  const struct {
    const char *text, *value, *constraint;
  } cases[] = {
      {"toy:d=1", "d=1", "2 .. 512"},
      {"toy:d=513", "d=513", "2 .. 512"},
      {"toy:d=x", "d=x", "an integer"},
      {"toy:d=8.5", "d=8.5", "an integer"},
      {"toy:d=8 ", "d=8 ", "an integer"},
      {"toy:d=+8", "d=+8", "an integer"},
      {"toy:d=99999999999999999999", "d=99999999999999999999", "2 .. 512"},
      {"toy:noise=1.0000001", "noise=1.0000001", "0 .. 1"},
      {"toy:noise=-1e-300", "noise=-1e-300", "0 .. 1"},
      {"toy:noise=nan", "noise=nan", "a number in the range"},
      {"toy:scale=inf", "scale=inf", "at least -2"},
      {"toy:scale=1e999", "scale=1e999", "at least -2"},
      {"toy:noise=0.5x", "noise=0.5x", "a number in the range"},
      {"toy:variant=Exact", "variant=Exact", "exact | minimal"},
      {"toy:width=3", "'width'", "it has: d, heads, noise, scale, variant"},
  };
  for (const auto& c : cases)
    EXPECT_THAT([&] { parse(c.text); },
                ThrowsMessage<InputError>(AllOf(HasSubstr(std::string("spec '") + c.text + "'"),
                                                HasSubstr(c.value), HasSubstr(c.constraint))))
        << c.text;
}

TEST(Parameters, AMisspeltKeyIsAnsweredWithTheNearestOne) {
  EXPECT_THAT([] { parse("toy:head=3"); },
              ThrowsMessage<InputError>(HasSubstr("'head', did you mean 'heads'?")));
  EXPECT_THAT([] { parse("toy:nosie=1"); }, ThrowsMessage<InputError>(HasSubstr("did you mean 'noise'?")));
  EXPECT_THAT([] { parse("toy:q=1"); }, ThrowsMessage<InputError>(Not(HasSubstr("did you mean"))));
  EXPECT_THAT([] { parse("toy:temperature=1"); }, ThrowsMessage<InputError>(Not(HasSubstr("did you mean"))));
}

}  // namespace
}  // namespace hardhead
