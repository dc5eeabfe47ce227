#pragma once
#include <string>
#include <vector>

#include "app/command.h"

/// What help says, from the table of commands, laid out for the terminal.
namespace hardhead::app {

/// All commands and groups under their titles.
std::string program_help();

/// The commands of a group (`lwe`).
std::string group_help(const std::string& group);

/// A command's usage, its flags and its examples.
std::string command_help(const Command& command);

/// What a wrong call of a command gets: its usage, the names of its flags, and where to read on.
std::string short_help(const Command& command);

/// Throws InputError, with the nearest name, where the first words of a command line are no command or group.
void check_command_name(const std::vector<std::string>& words);

/// Help of what the words name: the program where there are none. Throws InputError as check_command_name().
std::string help_of(const std::vector<std::string>& words);

}  // namespace hardhead::app
