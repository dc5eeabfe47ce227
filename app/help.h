#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"

/// What help says, from the table of commands, laid out for the terminal; and what was probably meant by
/// words that a command does not take.
namespace hardhead::app {

/// All commands and groups under their titles.
std::string program_help();

/// The commands of a group (`lwe`).
std::string group_help(const std::string& group);

/// A command's usage, its flags and its examples.
std::string command_help(const Command& command);

/// What a wrong call of a command gets: its usage, the names of its flags, and where to read on.
std::string short_help(const Command& command);

/// "--lr is no flag of 'learn': it is the option rate of adam, as in --method adam:rate=..": the command's
/// nearest flag, the commands that have this one, or the learner or family whose parameter it is.
std::string about_flag(const Command& command, const std::string& flag);

/// Why a word is no instance but a learner's name, for a command that has --method; empty if it is none.
std::optional<std::string> about_learner(const Command& command, const std::string& word);

/// About words that follow where no more are expected, in their order.
std::string about_words(const Command& command, const std::vector<std::string>& words);

/// Throws InputError, with the nearest name, where the first words of a command line are no command or group.
void check_command_name(const std::vector<std::string>& words);

/// Help of what the words name: the program where there are none. Throws InputError as check_command_name().
std::string help_of(const std::vector<std::string>& words);

}  // namespace hardhead::app
