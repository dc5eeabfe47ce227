#include "study/results/run_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace hardhead::study {
namespace {

TEST(RunsTable, LeavesWhatIsUnknownEmptyAndNumbersWhole) {
  RunResult run;
  run.problem.source = "a \"b\", c";
  run.score.test_error = 0.1;
  run.problem.null_error = std::numeric_limits<double>::quiet_NaN();
  const report::Table table = runs_table({run});
  const std::string text = report::csv(table);
  EXPECT_THAT(text, testing::HasSubstr("\n\"a \"\"b\"\", c\",\"\","));
  const report::Table back = report::parse_csv(text, "text");
  ASSERT_EQ(back.rows, table.rows);
  const auto cell = [&](const std::string& column) {
    return back
        .rows[0][static_cast<std::size_t>(std::ranges::find(back.columns, column) - back.columns.begin())];
  };
  EXPECT_EQ(cell("m"), "");
  EXPECT_EQ(cell("null_error"), "");
  EXPECT_EQ(cell("test_error"), "0.1");
}

}  // namespace
}  // namespace hardhead::study
