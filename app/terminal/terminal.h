#pragma once
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// What whoever reads an answer can see: how many columns, and whether in colour.
namespace hardhead::app {

/// The value of a variable of the environment; empty where it is not set.
std::string_view environment_variable(const char* name);

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

/// The text in the shade's colour (green, yellow, red), or as it is where nothing is coloured. Its escape
/// sequences have a mark that is drawn anew for each process, so that for_terminal() can tell them from those
/// that a name or a file brings along.
std::string painted(Shade shade, const std::string& text);

/// What is written to a terminal: printable() (base/text/quoted.h), with the colours of painted().
std::string for_terminal(std::string_view text);

}  // namespace hardhead::app
