#pragma once
#include <string>
#include <vector>

namespace hardhead::report {

/// What a study found, row by row, every cell as it is shown. Numbers are plain decimals (1.5e-3), so that a
/// reader of the file or the report's page can sort by them; a column's unit stands in its name. The row says
/// which spec or command made it.
struct Table {
  std::vector<std::string> columns{};            ///< their titles
  std::vector<std::vector<std::string>> rows{};  ///< an entry for each column

  /// Appends a row. Throws std::logic_error unless it has a cell for each column.
  void add(std::vector<std::string> row);
};

/// Comma-separated, with a head; cells are quoted where they must be (RFC 4180).
std::string csv(const Table& table);

/// Reads what csv() wrote. Throws InputError naming `place` and the line: rows of unequal length, an open
/// quote.
Table parse_csv(const std::string& text, const std::string& place);

}  // namespace hardhead::report
