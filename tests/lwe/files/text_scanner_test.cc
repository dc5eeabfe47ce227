#include "lwe/files/text_scanner.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "tests/scratch_folder.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(TextScanner, ReadsNumbersAndBracketsWhateverTheSpaceBetween) {
  TextScanner scan("f", " \t\r\n[12 -3]\n0.5e1[ ]");
  scan.expect('[', "the list");
  EXPECT_EQ(scan.integer("x", 0, 20), 12);
  EXPECT_EQ(scan.integer("x", -3, 20), -3);
  scan.expect(']', "the list");
  EXPECT_EQ(scan.real("y"), 5);
  scan.expect('[', "z");
  EXPECT_EQ(scan.left(), 2);
  scan.expect(']', "z");
  scan.expect_end();
  EXPECT_EQ(scan.left(), 0);
  EXPECT_EQ(scan.path(), "f");
}

TEST(TextScanner, ErrorsNameFileOffsetAndWhatIsThere) {
  const auto read = [](const char* text) { return TextScanner("f", text).integer("m", 1, 9); };
  EXPECT_THAT([&] { read("  12"); },
              ThrowsMessage<InputError>("file 'f', offset 2: m '12' is not an integer in 1 .. 9"));
  EXPECT_THAT([&] { read("0"); }, ThrowsMessage<InputError>(HasSubstr("m '0' is not an integer in 1 .. 9")));
  EXPECT_THAT([&] { read("1x"); }, ThrowsMessage<InputError>(HasSubstr("m '1x'")));
  EXPECT_THAT([&] { read("+1"); }, ThrowsMessage<InputError>(HasSubstr("m '+1'")));
  EXPECT_THAT([&] { read("99999999999999999999999"); },
              ThrowsMessage<InputError>(HasSubstr("is not an integer")));
  EXPECT_THAT([&] { read(" \n"); },
              ThrowsMessage<InputError>("file 'f', offset 2: m is expected, the file ends"));
  EXPECT_THAT([&] { read("]"); }, ThrowsMessage<InputError>("file 'f', offset 0: m is expected, not ']'"));
  const auto real = [](const char* text) { return TextScanner("f", text).real("alpha"); };
  for (const char* text : {"nan", "inf", "1e99999", "0x1", "1.0.0", "."})
    EXPECT_THAT([&] { real(text); }, ThrowsMessage<InputError>(HasSubstr("is not a finite number"))) << text;
  EXPECT_THAT([] { TextScanner("f", "[1").expect(']', "the row"); },
              ThrowsMessage<InputError>("file 'f', offset 0: ']' of the row is expected, not '['"));
  EXPECT_THAT([] { TextScanner("f", " x").expect_end(); },
              ThrowsMessage<InputError>("file 'f', offset 1: the end is expected, not 'x'"));
}

TEST(TextScanner, OpensFilesAndSaysWhichItCannot) {
  const ScratchFolder folder;
  TextScanner scan = TextScanner::open(folder.write("numbers", "1 2"));
  EXPECT_EQ(scan.integer("x", 0, 9), 1);
  EXPECT_THAT([&] { scan.fail("something"); },
              ThrowsMessage<InputError>("file '" + folder.path("numbers") + "', offset 1: something"));
  EXPECT_THAT([&] { TextScanner::open(folder.path("none")); },
              ThrowsMessage<InputError>(HasSubstr(folder.path("none"))));
}

RC_GTEST_PROP(TextScannerProperties, IntegersComeBackWhateverSeparatesThem,
              (const std::vector<std::int64_t>& numbers)) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += std::to_string(number) + *rc::gen::element<std::string>(" ", "\n", "\r\n", " \t ");
  TextScanner scan("f", text);
  for (const std::int64_t number : numbers) RC_ASSERT(scan.integer("x", INT64_MIN, INT64_MAX) == number);
  scan.expect_end();
}

}  // namespace
}  // namespace hardhead::lwe
