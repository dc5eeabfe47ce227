#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/command.h"

/// The list of commands. Each brings its flags; this is the one description of the command line, from which
/// parsing, help, completion and the man page are made.
namespace hardhead::app {

inline constexpr std::string_view program_summary =
    "Learning multi-head attention: nice instances are learnt, provably hard ones are not.";

/// Commands under one title, in the order in which help shows them.
struct Section {
  std::string title;
  std::vector<Command> commands;
};

/// All commands. Those of a group (`lwe attack`, `lwe estimate`) are in one section.
std::span<const Section> sections();

/// "lwe attack" is `attack` of the group `lwe`; other names have no group.
std::pair<std::string, std::string> split(const std::string& name);

/// What the commands of a group have in common, one line. Throws std::out_of_range for another name.
std::string group_summary(const std::string& group);

/// Words that can follow `hardhead` (for ""), or `hardhead GROUP`: commands and groups, each once. None for a
/// command.
std::vector<std::string> names_after(const std::string& group);

/// The flags of all commands, each once: the common ones first, then in the order in which they first come.
/// Where a flag means something else to a later command, its help says that, too.
std::vector<Flag> all_flags();

}  // namespace hardhead::app
