#include "base/text/spec.h"

#include "base/error.h"

namespace hardhead {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Spec, PrintsWhatItParsed) {
  for (const char* text : {"nice", "nice:d=16", "parity:d=20,m=6,base=4,seed=1", "a-b_9:k-1=x=y:z,w=-0.5e3"})
    EXPECT_EQ(Spec::parse(text).str(), text);
}

TEST(Spec, KeepsTheOrderWritten) {
  const Spec spec = Spec::parse("f:b=1,a=2");
  ASSERT_EQ(spec.values.size(), 2U);
  EXPECT_EQ(spec.values[0], (std::pair<std::string, std::string>("b", "1")));
  EXPECT_EQ(spec.values[1], (std::pair<std::string, std::string>("a", "2")));
}

TEST(Spec, RejectionsShowNoControlCharacters) {
  const std::string forged = "nice:d=1\ndigest right\x1b[2J";
  for (const std::string& text : {forged + ",", "\x1b:" + forged, forged + ",\n=1", forged + ",\x1b"})
    EXPECT_THAT([&] { Spec::parse(text); },
                ThrowsMessage<InputError>(testing::Not(testing::ContainsRegex("[\n\x1b]"))));
}

TEST(Spec, RejectionsNameTextColumnAndReason) {
  const struct {
    const char *text, *column, *reason;
  } cases[] = {
      {"", "column 1", "a name of letters"},
      {":d=1", "column 1", "a name of letters"},
      {"ni ce:d=1", "column 1", "a name of letters"},
      {"nice:", "column 6", "'' is not of the form key=value"},
      {"nice:d", "column 6", "'d' is not of the form key=value"},
      {"nice:d=1,", "column 10", "'' is not of the form key=value"},
      {"nice:=1", "column 6", "'' is not a key"},
      {"nice:d d=1", "column 6", "'d d' is not a key"},
      {"nice:d=", "column 8", "key 'd' has no value"},
      {"nice:m=2,d=,k=1", "column 12", "key 'd' has no value"},
      {"nice:d=1,m=2,d=3", "column 14", "key 'd' comes twice"},
  };
  for (const auto& c : cases)
    EXPECT_THAT([&] { Spec::parse(c.text); },
                ThrowsMessage<InputError>(AllOf(HasSubstr(std::string("'") + c.text + "'"),
                                                HasSubstr(std::string(c.column) + ":"), HasSubstr(c.reason))))
        << c.text;
}

}  // namespace
}  // namespace hardhead
