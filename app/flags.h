#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/settings.h"

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

/// The flags every command has: --json, --quiet, --seed, --threads.
std::vector<std::string> shared_flags();

/// The flags of the commands that learn (--method, --phase, --heads, --examples, --holdout, --truth, --recovery,
/// --time-limit, --memory-limit, --require-recovery) and `more`.
std::vector<std::string> learning_flags(std::vector<std::string> more);

}  // namespace hardhead::app
