#include "base/text/quoted.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hardhead {
namespace {

TEST(Printable, KeepsWhatCanBeSeen) {
  for (const char* text : {"", "plain 'text' \"and\" \\ more", "two\nlines\tand a tab",
                           "\u03c4 \u00d7 \u2014 \u2713 \u00b1", "\U0001d4aa", "\u65e5\u672c"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31mred\x1b]0;title\x07"), "\\u001b[31mred\\u001b]0;title\\u0007");
  EXPECT_EQ(printable("a\rb\bc\x7f"), "a\\u000db\\u0008c\\u007f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m") << "CSI in eight bits";
  EXPECT_EQ(printable("\u202eabc\u2066"), "\\u202eabc\\u2066") << "right to left";
  EXPECT_EQ(printable("\U000e0001"), "\\udb40\\udc01") << "a tag, as JSON has it";
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff\x9b"
                      "31m\xc3"),
            "\\xff\\x9b31m\\xc3");
  EXPECT_EQ(printable("\xe2\x82"
                      "a"),
            "\\xe2\\x82a");
}

TEST(Printable, LeavesAJsonDocumentTheSame) {
  const nlohmann::json document = {{"name", "\u202e\x7f\U000e0001\x1b\u03c4"}};
  const std::string text = printable(document.dump());
  EXPECT_EQ(text.find("\x7f"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text), document);
}

}  // namespace
}  // namespace hardhead
