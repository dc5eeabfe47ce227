#pragma once
#include <initializer_list>
#include <span>
#include <string>

#include "app/settings.h"

namespace CLI {
class App;
}

namespace hardhead::app {

/// One row of the table of flags, which feeds parsing, range checks and help.
struct Flag {
  std::string name;      ///< "--heads", or "-o,--output"
  std::string argument;  ///< what its value is called; empty for a switch
  std::string help;      ///< one line, with range and default
  bool repeatable;
  /// Checks the text and stores the value. Throws InputError naming flag, value and constraint.
  void (*set)(Settings&, const std::string& text);
};

/// All flags of all commands.
std::span<const Flag> flags();

/// Gives `command` the flags named, as in the table.
void add_flags(CLI::App& command, Settings& settings, std::initializer_list<const char*> names);

/// The flags every command has: --json, --quiet, --seed, --threads.
void add_shared_flags(CLI::App& command, Settings& settings);

/// The flags of the commands that learn: --heads, --examples, --holdout, --truth, --recovery, --time-limit,
/// --memory-limit, --method.
void add_learning_flags(CLI::App& command, Settings& settings);

}  // namespace hardhead::app
