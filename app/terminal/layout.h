#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How text is laid out in the columns of the terminal (terminal.h). This is the one place that breaks lines:
/// between words, never inside one. In files and pipes prose has 100 columns, and a row of a table is one
/// line.
namespace hardhead::app {

/// The cells of a table, row by row.
using Rows = std::vector<std::vector<std::string>>;

/// Columns that the text takes: neither escape sequences nor bytes of UTF-8 that go on count.
std::size_t columns_of(std::string_view text);

/// The words of `text` in lines of at most `width` and of what the terminal has, each after `indent` spaces.
std::string wrapped(const std::string& text, std::size_t width = 100, std::size_t indent = 0);

/// A message of several lines: those longer than `width` are broken between words, the others stay as they
/// are.
std::string broken(const std::string& message, std::optional<std::size_t> width);

/// "label           text": the text begins at column 16, in all its lines.
std::string labelled(const std::string& label, const std::string& text);

/// A line for each name and what is said of it, which begins at one column for all, in all its lines.
std::string described(const std::vector<std::pair<std::string, std::string>>& entries);

/// Columns aligned, two spaces apart; the first row is the head. Columns whose cells all look like numbers
/// are aligned to the right. Where the terminal is narrower, columns of prose are wrapped; where that does
/// not do, either, each row becomes a block: its first `keys` cells, which say what it is about, and below
/// them the other cells with the names of their columns.
std::string table(const Rows& rows, std::size_t keys = 1);
/// Columns that such a table takes where nothing is wrapped.
std::size_t table_columns(const Rows& rows);
/// The rows of such a table without a column whose cells all are `value`: it would tell no rows apart.
Rows without_uniform(Rows rows, std::string_view column, std::string_view value);

}  // namespace hardhead::app
