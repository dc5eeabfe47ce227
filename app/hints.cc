#include "app/hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/command_table.h"
#include "base/text/parameters.h"
#include "base/text/synonyms.h"
#include "hardness/families/family.h"
#include "learner/learner.h"
#include "learner/method.h"
#include "study/problem/source.h"

namespace hardhead::app {
namespace {

bool has_flag(const Command& command, const std::string& name) {
  return std::ranges::any_of(command.flags, [&](const Flag& flag) {
    const std::vector<std::string> all = spellings(flag);
    return std::ranges::find(all, name) != all.end();
  });
}

/// Commands of the same group that have a flag.
std::vector<std::string> others_with(const Command& command, const std::string& flag) {
  std::vector<std::string> out;
  for (const Section& section : sections())
    for (const Command& other : section.commands)
      if (split(other.name).first == split(command.name).first && has_flag(other, flag))
        out.push_back(other.name);
  return out;
}

/// The first entry of a registry that has the parameter, or the one meant by it: "adam:rate=..".
template <class Entry>
std::optional<std::string> owner_of(std::span<const Entry> registry, const std::string& name) {
  for (const bool exactly : {true, false})
    for (const Entry& entry : registry)
      for (const Parameter& parameter : entry.parameters)
        if (exactly ? parameter.name == name : are_synonyms(parameter.name, name))
          return fmt::format("{}:{}=..", entry.name, parameter.name);
  return std::nullopt;
}

}  // namespace

std::string about_flag(const Command& command, const std::string& flag) {
  std::vector<std::string> known;
  for (const Flag& one : command.flags) known.push_back(long_name(one));
  const std::string near = did_you_mean(flag, known);
  std::string out = fmt::format("{} is no flag of '{}'{}", flag, command.name, near);
  if (const std::vector<std::string> others = others_with(command, flag); !others.empty())
    return fmt::format("{}{} {}", out, near.empty() ? ", but one of" : " It is one of",
                       fmt::join(others, ", "));
  if (!near.empty() || !has_flag(command, "--method")) return out;
  const std::string name = flag.substr(flag.find_first_not_of('-'));
  if (const auto option = owner_of(learner::methods(), name))
    return fmt::format("{}; options of a learner follow its name: --method {}", out, *option);
  if (const auto parameter = owner_of(hardness::families(), name))
    return fmt::format("{}; parameters of an instance follow its name: {}", out, *parameter);
  return out;
}

std::optional<std::string> about_learner(const Command& command, const std::string& word) {
  const std::string name = word.substr(0, word.find(':'));
  const auto is_named = [&](const auto& entry) { return entry.name == name; };
  if (!has_flag(command, "--method") || study::names_a_file(word) ||
      std::ranges::any_of(hardness::families(), is_named) ||
      std::ranges::none_of(learner::methods(), is_named))
    return std::nullopt;
  return fmt::format("'{}' is a learner: --method {}", word, word);
}

std::string about_words(const Command& command, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (const auto learner = about_learner(command, word)) return *learner;
  return fmt::format("not expected: {}", fmt::join(words, " "));
}

}  // namespace hardhead::app
