#include "study/toml_text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace hardhead::study {
namespace {

std::string refusal(std::string_view text) {
  try {
    check_toml_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TomlText, OfAnyLanguageIsTakenInStringsAndComments) {
  for (const char* text : {"# é\na = 1 # é\n", "a = \"é\"", "a = 'é'", "a = \"\\\"é\"",
                           "\xef\xbb\xbf"
                           "a = 1",
                           "a = '\\' # é", ""})
    EXPECT_EQ(refusal(text), "accepted") << text;
}

TEST(TomlText, OutsideOfThemIsAscii) {
  for (const char* text :
       {"é = 1", "a = é", "a = ''é", "a = '\\'é'", "a = \"\\\\\"é\"", "\xef\xbb\x91", "# \né"})
    EXPECT_NE(refusal(text).find("a character that is not ASCII"), std::string::npos) << text;
  EXPECT_EQ(refusal("a = 1\n\nb = 'c' é").substr(0, 8), "line 3: ");
}

TEST(TomlText, HasNoQuotesWithinWords) {
  for (const char* text : {"a = -'é'", "a = b\"é\"", "'a''é'", "a = 0\"b[\"\xef\xbb\xb7", "a = 0.'é'", "a'"})
    EXPECT_EQ(refusal(text), "line 1: a quote in the middle of a word") << text;
}

TEST(TomlText, HasNoStringsOfSeveralLines) {
  for (const char* text : {"a = \"\"\"é\"\"\"", "a = ''''''", "\"\"\"\"\"a\"é", "\"\"\"", "''''"})
    EXPECT_EQ(refusal(text), "line 1: a string of several lines") << text;
}

TEST(TomlText, HasDotsEnoughForNumbersAndNotForDeepTables) {
  const std::string dots(4096, '.');
  EXPECT_EQ(refusal(dots + "\n'.'#."), "accepted");
  EXPECT_EQ(refusal("\n" + dots + "."), "line 2: more than 4096 dots outside of strings and comments");
}

TEST(TomlText, MayEndAnywhere) {
  for (const char* text : {"\"", "'", "\"\"", "''", "\"\\", "\"\\\"", "#", "a = \"x\n"})
    EXPECT_EQ(refusal(text), "accepted") << text;
}

}  // namespace
}  // namespace hardhead::study
