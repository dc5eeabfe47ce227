#include "app/terminal/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>

#include "app/terminal/terminal.h"

namespace hardhead::app {
namespace {

using Row = std::vector<std::string>;
constexpr std::size_t gap = 2;

/// Looks it like a number, or an interval of numbers? A longer text that begins with one is prose.
bool is_numeric(const std::string& cell) {
  constexpr std::size_t longest = 32;
  if (cell.size() > longest) return false;
  return cell.empty() || std::isdigit(static_cast<unsigned char>(cell[0])) != 0 || cell[0] == '-';
}

std::string padded(const std::string& text, std::size_t width, bool right = false) {
  const std::string fill(width - std::min(width, columns_of(text)), ' ');
  return right ? fill + text : text + fill;
}

/// The words in lines of at most `width`; one line at least.
Row lines_of_words(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  Row lines(1);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (columns_of(line) + 1 + columns_of(word) <= width)
      line += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

/// The text after `head`, with its further lines below its first.
std::string hanging(const std::string& head, const std::string& text, std::size_t width) {
  const std::size_t margin = columns_of(head);
  std::string out = head;
  for (const std::string& line : lines_of_words(text, width - std::min(width, margin)))
    out += (out.ends_with('\n') ? std::string(margin, ' ') : "") + line + "\n";
  return out;
}

/// The columns of a table: how wide each is, and which are aligned to the right.
struct Columns {
  std::vector<std::size_t> widths;
  std::vector<bool> right;

  explicit Columns(const Rows& rows) : widths(rows.front().size(), 0), right(rows.front().size(), true) {
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < widths.size(); ++c) {
        widths[c] = std::max(widths[c], columns_of(rows[r][c]));
        if (r > 0 && !is_numeric(rows[r][c])) right[c] = false;
      }
  }

  std::size_t total() const {
    return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  }
};

std::size_t longest_word(const Rows& rows, std::size_t column) {
  std::size_t longest = 0;
  for (const Row& row : rows)
    for (const std::string& word : lines_of_words(row[column], 0))
      longest = std::max(longest, columns_of(word));
  return longest;
}

/// Takes from the widest columns of prose what is too much for `room`. False where they would get too narrow.
bool narrow(Columns& columns, const Rows& rows, std::size_t room) {
  constexpr std::size_t least = 24;
  std::vector<std::size_t> least_widths = columns.widths;
  for (std::size_t c = 0; c < columns.widths.size(); ++c)
    if (!columns.right[c])
      least_widths[c] = std::min(columns.widths[c], std::max(least, longest_word(rows, c)));
  while (columns.total() > room) {
    std::size_t widest = columns.widths.size();
    for (std::size_t c = 0; c < columns.widths.size(); ++c)
      if (columns.widths[c] > least_widths[c] &&
          (widest == columns.widths.size() || columns.widths[c] > columns.widths[widest]))
        widest = c;
    if (widest == columns.widths.size()) return false;
    --columns.widths[widest];
  }
  return true;
}

/// A row in as many lines as its longest cell takes.
std::string aligned(const Row& row, const Columns& columns) {
  Rows cells;
  std::size_t height = 1;
  for (std::size_t c = 0; c < row.size(); ++c) {
    // What fits stays as it is: spaces in front set a key in.
    cells.push_back(columns_of(row[c]) <= columns.widths[c] ? Row{row[c]}
                                                            : lines_of_words(row[c], columns.widths[c]));
    height = std::max(height, cells.back().size());
  }
  std::string out;
  for (std::size_t l = 0; l < height; ++l) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c)
      line += (c > 0 ? std::string(gap, ' ') : "") +
              padded(l < cells[c].size() ? cells[c][l] : "", columns.widths[c], columns.right[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

/// Each row as a block: the cells that name it, then short cells side by side, then long ones.
std::string stacked(const Rows& rows, const Columns& columns, std::size_t keys, std::size_t room) {
  constexpr std::size_t longest_short = 22, indent = 2, between = 3;
  std::size_t label = 0, value = 0;
  for (std::size_t c = keys; c < columns.widths.size(); ++c) {
    label = std::max(label, columns_of(rows[0][c]));
    if (columns.widths[c] <= longest_short) value = std::max(value, columns.widths[c]);
  }
  const std::size_t one = label + gap + value;
  const std::size_t beside = std::max<std::size_t>(1, (room - indent + between) / (one + between));
  std::string out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    std::string key;
    for (std::size_t c = 0; c < keys; ++c) key += (c > 0 ? "  " : "") + rows[r][c];
    out += (r > 1 ? "\n" : "") + (columns_of(key) <= room ? key + "\n" : wrapped(key, room));
    std::string line, long_ones;
    std::size_t in_line = 0;
    const auto end_line = [&] {
      line.erase(line.find_last_not_of(' ') + 1);
      if (!line.empty()) out += line + "\n";
      line.clear();
      in_line = 0;
    };
    for (std::size_t c = keys; c < columns.widths.size(); ++c) {
      if (rows[r][c].empty()) continue;
      const std::string head = padded(rows[0][c], label) + std::string(gap, ' ');
      if (columns.widths[c] > longest_short) {
        long_ones += hanging(std::string(indent, ' ') + head, rows[r][c], room);
        continue;
      }
      if (in_line == beside) end_line();
      line += std::string(in_line == 0 ? indent : between, ' ') + head + padded(rows[r][c], value);
      ++in_line;
    }
    end_line();
    out += long_ones;
  }
  return out;
}

/// A cell that stays in its row and its column, whatever its text.
std::string one_line(const std::string& cell) {
  std::string out;
  for (const char c : cell)
    out += c == '\n' ? std::string("\\n") : c == '\t' ? std::string("\\t") : std::string(1, c);
  return out;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++count;
    }
  }
  return count;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  const std::size_t room = std::min(width, columns().value_or(width));
  std::string out;
  for (const std::string& line : lines_of_words(text, room - std::min(room, indent)))
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
  return out;
}

std::string broken(const std::string& message, std::optional<std::size_t> width) {
  if (!width) return message;
  std::string out, line;
  for (std::istringstream in(message); std::getline(in, line);) {
    if (!out.empty()) out += '\n';
    out +=
        columns_of(line) <= *width ? line : fmt::format("{}", fmt::join(lines_of_words(line, *width), "\n"));
  }
  return out;
}

std::string labelled(const std::string& label, const std::string& text) {
  constexpr std::size_t width = 100, begin = 16;
  return hanging(padded(label, begin), text, std::min(width, columns().value_or(width)));
}

std::string described(const std::vector<std::pair<std::string, std::string>>& entries) {
  constexpr std::size_t width = 100, most = 24, indent = 2;
  const std::size_t room = std::min(width, columns().value_or(width));
  std::size_t longest = 0;
  for (const auto& [name, text] : entries)
    if (columns_of(name) <= most) longest = std::max(longest, columns_of(name));
  std::string out;
  for (const auto& [name, text] : entries) {
    const std::string margin(indent, ' ');
    if (columns_of(name) <= longest)
      out += hanging(margin + padded(name, longest + gap), text, room);
    else
      out += margin + name + "\n" + hanging(std::string(indent + longest + gap, ' '), text, room);
  }
  return out;
}

std::string table(const Rows& given, std::size_t keys) {
  Rows rows = given;
  for (Row& row : rows)
    for (std::string& cell : row) cell = one_line(cell);
  Columns columns_here(rows);
  const auto room = columns();
  const Columns natural = columns_here;
  if (room && columns_here.total() > *room && !narrow(columns_here, rows, *room))
    return stacked(rows, natural, keys, *room);
  std::string out;
  for (const Row& row : rows) out += aligned(row, columns_here);
  return out;
}

std::size_t table_columns(const Rows& rows) {
  return Columns(rows).total();
}

Rows without_uniform(Rows rows, std::string_view column, std::string_view value) {
  const std::ptrdiff_t at = std::ranges::find(rows.front(), column) - rows.front().begin();
  const auto tells = [&](const Row& row) { return row[static_cast<std::size_t>(at)] != value; };
  if (std::any_of(rows.begin() + 1, rows.end(), tells)) return rows;
  for (Row& row : rows) row.erase(row.begin() + at);
  return rows;
}

}  // namespace hardhead::app
