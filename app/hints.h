#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"

/// What was probably meant by words that a command does not take.
namespace hardhead::app {

/// "--lr is no flag of 'learn': it is the option rate of adam, as in --method adam:rate=..": the command's
/// nearest flag, the commands that have this one, or the learner or family whose parameter it is.
std::string about_flag(const Command& command, const std::string& flag);

/// Why a word is no instance but a learner's name, for a command that has --method; empty if it is none.
std::optional<std::string> about_learner(const Command& command, const std::string& word);

/// About words that follow where no more are expected, in their order.
std::string about_words(const Command& command, const std::vector<std::string>& words);

}  // namespace hardhead::app
