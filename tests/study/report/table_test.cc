#include "study/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "tests/refusal.h"

namespace hardhead::report {
namespace {

using testing::HasSubstr;

std::string table_refusal(const std::string& text) {
  return refusal_of([&] { parse_csv(text, "table 't.csv'"); });
}

TEST(Table, EveryCellComesBackFromCsv) {
  const Table table{{"spec", "a,b", ""},
                    {{"nice:d=8,m=1", "said \"no\"", ""}, {"two\nlines", "1.5e-3", "\r"}, {"ä", ",", "\""}}};
  const Table back = parse_csv(csv(table), "here");
  EXPECT_EQ(back.columns, table.columns);
  EXPECT_EQ(back.rows, table.rows);
  const Table narrow{{"x"}, {{""}, {"1"}}};
  EXPECT_EQ(parse_csv(csv(narrow), "here").rows, narrow.rows);
}

TEST(Table, CsvQuotesOnlyWhatItMust) {
  EXPECT_EQ(csv({{"source", "x"}, {{"nice:d=8,m=1", "1e-31"}}}), "source,x\n\"nice:d=8,m=1\",1e-31\n");
}

TEST(Table, CsvOfOthersIsRead) {
  EXPECT_EQ(parse_csv("a,b\r\n1,2\r\n3,4", "here").rows,
            (std::vector<std::vector<std::string>>{{"1", "2"}, {"3", "4"}}));
}

TEST(Table, BrokenCsvIsRefusedWithItsLine) {
  EXPECT_EQ(table_refusal(""), "table 't.csv', line 1: there is no head");
  EXPECT_EQ(table_refusal("a,b\n\"x\ny\",2\n1\n"), "table 't.csv', line 4: 1 cells where the head has 2");
  EXPECT_EQ(table_refusal("a,b\n1,2,3\n"), "table 't.csv', line 2: 3 cells where the head has 2");
  EXPECT_EQ(table_refusal("a\n1\n\"2\n3\n"), "table 't.csv', line 3: a quote is not closed");
  EXPECT_THAT(table_refusal("a\n\"2\"3\n"), HasSubstr("line 2: text after a closing quote"));
  EXPECT_THAT(table_refusal("a\n2\"3\n"), HasSubstr("line 2: a quote inside a cell"));
}

TEST(Table, ARowOfTheWrongLengthIsABug) {
  Table table{{"a", "b"}, {}};
  EXPECT_THROW(table.add({"1"}), std::logic_error);
}

}  // namespace
}  // namespace hardhead::report
