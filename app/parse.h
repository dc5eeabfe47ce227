#pragma once
#include <optional>

#include "app/command.h"

namespace hardhead::app {

/// A command line that was read.
struct ParsedLine {
  const Command* command;  ///< which command it names
  Call call;               ///< with the options it gives
};

/// Reads a command line by the table of commands. --help and --version are answered here, and nothing is left
/// to run. Throws InputError for what is no command line of this program, with the nearest name where one is
/// mistyped.
std::optional<ParsedLine> parse(int argc, char** argv);

}  // namespace hardhead::app
