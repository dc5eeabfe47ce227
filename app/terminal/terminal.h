#pragma once
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>

/// What whoever reads an answer can see: how many columns, and whether in colour.
namespace hardhead::app {

/// Columns of what reads the descriptor: COLUMNS where it is set, or else those of the terminal, 40 at least.
/// Empty for a file or a pipe.
std::optional<std::size_t> columns(int descriptor = STDOUT_FILENO);

/// When words of an answer are coloured.
enum class Colour {
  automatic,  ///< on a terminal, unless NO_COLOR is set (no-color.org) or TERM is "dumb"
  always,     ///< in files and pipes, too
  never,      ///< plain text
};

/// Says when, for the rest of the process: --color.
void choose_colour(Colour when);

/// What a word tells: a claim that holds, one that does not, one between the two.
enum class Shade { good, fair, bad };

/// The text in the shade's colour (green, yellow, red), or as it is where nothing is coloured.
std::string painted(Shade shade, const std::string& text);

}  // namespace hardhead::app
