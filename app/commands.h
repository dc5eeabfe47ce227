#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/command.h"
#include "app/flags.h"

/// The list of commands. With the table of flags (flags.h) it is the one description of the command line: parsing,
/// help, completion and the man page are made from these two.
namespace hardhead::app {

inline constexpr std::string_view program_summary =
    "Learning multi-head attention: nice instances are learnt, provably hard ones are not.";

/// Commands under one title, in the order in which help shows them.
struct Section {
  std::string title;
  std::vector<Command> commands;
};

/// All commands. Those of a group (`lwe attack`, `lwe verify`) are in one section.
std::span<const Section> sections();

/// "lwe attack" is `attack` of the group `lwe`; other names have no group.
std::pair<std::string, std::string> split(const std::string& name);

/// What the commands of a group have in common, one line.
std::string group_summary(const std::string& group);

/// Words that can follow `hardhead` (for ""), or `hardhead GROUP`: commands and groups, each once. None for a command.
std::vector<std::string> names_after(const std::string& group);

struct CommandFlag {
  const Flag* flag;
  bool required;
};

/// A command's flags: the shared ones, its own, those it cannot do without.
std::vector<CommandFlag> flags_of(const Command& command);

/// "-o,--output" as {"-o", "--output"}.
std::vector<std::string> spellings(const Flag& flag);

}  // namespace hardhead::app
