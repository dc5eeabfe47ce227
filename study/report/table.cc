#include "study/report/table.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/error.h"

namespace hardhead::report {
namespace {

std::string csv_cell(const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& cell : cells) {
    if (!out.empty()) out += ',';
    out += csv_cell(cell);
  }
  return out + '\n';
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  if (row.size() != columns.size())
    throw std::logic_error(fmt::format("a row of {} cells for {} columns", row.size(), columns.size()));
  rows.push_back(std::move(row));
}

std::string csv(const Table& table) {
  std::string out = csv_line(table.columns);
  for (const auto& row : table.rows) out += csv_line(row);
  return out;
}

Table parse_csv(const std::string& text, const std::string& place) {
  Table table;
  std::vector<std::string> row(1);
  std::size_t line = 1, first_line = 1;
  bool quoted = false;
  const auto fail = [&](std::size_t at, const std::string& what) {
    throw InputError(fmt::format("{}, line {}: {}", place, at, what));
  };
  const auto end_row = [&] {
    if (table.columns.empty())
      table.columns = std::move(row);
    else if (row.size() != table.columns.size())
      fail(first_line, fmt::format("{} cells where the head has {}", row.size(), table.columns.size()));
    else
      table.add(std::move(row));
    row.assign(1, "");
    first_line = line + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if (quoted && c == '"' && next == '"') {
      row.back() += '"';
      ++i;
    } else if (quoted && c == '"') {
      quoted = false;
      if (next != ',' && next != '\n' && next != '\r') fail(line, "text after a closing quote");
    } else if (!quoted && c == '"') {
      if (!row.back().empty()) fail(line, "a quote inside a cell that has none in front");
      quoted = true;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      end_row();
    } else if (quoted || c != '\r' || next != '\n') {
      row.back() += c;
    }
    if (c == '\n') ++line;
  }
  if (quoted) fail(first_line, "a quote is not closed");
  if (!text.empty() && text.back() != '\n') end_row();
  if (table.columns.empty()) fail(1, "there is no head");
  return table;
}

}  // namespace hardhead::report
