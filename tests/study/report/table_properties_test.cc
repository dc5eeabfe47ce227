#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "study/report/table.h"

namespace hardhead::report {
namespace {

/// Cells full of what CSV gives a meaning to.
std::string draw_cell() {
  return *rc::gen::oneOf(rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,\"\n\r |"))),
                         rc::gen::arbitrary<std::string>());
}

Table draw_table() {
  const int columns = *rc::gen::inRange(1, 5), rows = *rc::gen::inRange(0, 6);
  const auto draw_row = [&] {
    std::vector<std::string> row;
    for (int c = 0; c < columns; ++c) row.push_back(draw_cell());
    return row;
  };
  Table table{draw_row(), {}};
  for (int r = 0; r < rows; ++r) table.add(draw_row());
  return table;
}

RC_GTEST_PROP(TableProperties, CsvComesBackCellByCell, ()) {
  const Table table = draw_table();
  const Table back = parse_csv(csv(table), "test");
  RC_ASSERT(back.columns == table.columns);
  RC_ASSERT(back.rows == table.rows);
}

RC_GTEST_PROP(TableProperties, ATextIsRefusedOrIsATableThatComesBack, ()) {
  const std::string text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,,\"\"\n\n\r")));
  try {
    const Table table = parse_csv(text, "test");
    const Table back = parse_csv(csv(table), "test");
    RC_ASSERT(back.columns == table.columns);
    RC_ASSERT(back.rows == table.rows);
    RC_TAG("a table");
  } catch (const InputError&) {
    RC_TAG("refused");
  }
}

RC_GTEST_PROP(TableProperties, ARowOfAnotherLengthIsRefused, ()) {
  const Table table = draw_table();
  std::string cells = "x";
  for (std::size_t c = 0; c < table.columns.size(); ++c) cells += ",x";
  RC_ASSERT_THROWS_AS(parse_csv(csv(table) + cells + "\n", "test"), InputError);
}

}  // namespace
}  // namespace hardhead::report
