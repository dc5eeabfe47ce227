#include "app/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "app/command_table.h"
#include "app/output.h"
#include "app/terminal/terminal.h"
#include "base/error.h"
#include "base/text/parameters.h"
#include "hardness/families/family.h"
#include "learner/learner.h"
#include "learner/method.h"
#include "study/problem/source.h"

namespace hardhead::app {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string usage_line(const Command& command) {
  std::string out = fmt::format("usage: hardhead {}", command.name);
  const Positional& positional = command.positional;
  if (!positional.name.empty()) {
    const std::string words = positional.name + (positional.repeatable ? " .." : "");
    out += positional.required ? fmt::format(" {}", words) : fmt::format(" [{}]", words);
  }
  for (const Flag& flag : command.flags)
    if (flag.required) out += fmt::format(" {} {}", long_name(flag), flag.argument);
  return out + " [FLAG ..]";
}

Entries flag_entries(const Command& command, bool common) {
  Entries out;
  for (const Flag& flag : command.flags)
    if (flag.common == common)
      out.emplace_back(fmt::format("{}{}{}", flag.name, flag.argument.empty() ? "" : " ", flag.argument),
                       flag.text());
  return out;
}

/// "length of the secret (1 .. 4096; default: 40)"
Entries parameter_entries(const std::vector<Parameter>& parameters) {
  Entries out;
  for (const Parameter& row : parameters)
    out.emplace_back(row.name, fmt::format("{} ({}; default: {})", row.meaning, row.range(), row.fallback));
  return out;
}

/// A command line as it can be copied: where it is too long for the terminal, broken by backslashes.
std::string example_lines(const std::string& example) {
  constexpr std::size_t indent = 2, continued = 6;
  const auto room = columns();
  if (!room || indent + example.size() <= *room || example.find_first_of("'\"") != std::string::npos)
    return fmt::format("  {}\n", example);
  std::istringstream words(example);
  std::string out, line(indent, ' ');
  bool empty = true;
  for (std::string word; words >> word; empty = false) {
    if (!empty && line.size() + 1 + word.size() + 2 > *room) {
      out += line + " \\\n";
      line = std::string(continued, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
  }
  return out + line + "\n";
}

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

std::string program_help() {
  std::string out = wrapped(std::string(program_summary)) + "\nusage: hardhead COMMAND [FLAG ..]\n";
  for (const Section& section : sections()) {
    Entries entries;
    for (const Command& command : section.commands) {
      const auto [group, name] = split(command.name);
      if (group.empty())
        entries.emplace_back(name, command.summary);
      else if (entries.empty() || entries.back().first != group)
        entries.emplace_back(group, group_summary(group));
    }
    out += fmt::format("\n{}\n{}", section.title, described(entries));
  }
  out += fmt::format("\nFlags\n{}\n", described({{"-h,--help", "this text; of a command, its own"},
                                                 {"--version", "the version of the program"}}));
  return out +
         wrapped("'hardhead help COMMAND' has a command's flags and examples, 'hardhead help --man' all.");
}

std::string group_help(const std::string& group) {
  Entries entries;
  for (const Section& section : sections())
    for (const Command& command : section.commands)
      if (const auto [of, name] = split(command.name); of == group)
        entries.emplace_back(name, command.summary);
  return fmt::format("{}\nusage: hardhead {} COMMAND [FLAG ..]\n\n{}", wrapped(group_summary(group)), group,
                     described(entries));
}

std::string command_help(const Command& command) {
  std::string out = fmt::format("{}\n{}", wrapped(command.summary), wrapped(usage_line(command)));
  const Positional& positional = command.positional;
  if (!positional.name.empty()) out += "\n" + described({{positional.name, positional.help}});
  for (const auto& [title, rows] : command.parameters)
    out += fmt::format("\n{}\n{}", title, described(parameter_entries(rows)));
  if (const Entries own = flag_entries(command, false); !own.empty())
    out += fmt::format("\nFlags\n{}", described(own));
  Entries common = flag_entries(command, true);
  common.emplace_back("-h,--help", "this text");
  out += fmt::format("\nFlags of every command\n{}", described(common)) + "\nExamples\n";
  for (const std::string& example : command.examples) out += example_lines(example);
  return out;
}

std::string short_help(const Command& command) {
  std::string flags = "flags:";
  for (const Flag& flag : command.flags)
    if (!flag.common) flags += " " + long_name(flag);
  const auto lines = [](const std::string& text) {
    return broken(text, columns(STDERR_FILENO).value_or(100));
  };
  return fmt::format("{}\n{}\n'hardhead help {}' explains them", lines(usage_line(command)), lines(flags),
                     command.name);
}

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
    out += fmt::format("; options of a learner follow its name: --method {}", *option);
  if (const auto parameter = owner_of(hardness::families(), name))
    out += fmt::format("; parameters of an instance follow its name: {}", *parameter);
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

void check_command_name(const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return;
  find_name("command", words[0], names_after(""));
  const std::vector<std::string> second = names_after(words[0]);
  if (!second.empty() && words.size() > 1 && !words[1].starts_with('-'))
    find_name(fmt::format("command of '{}'", words[0]), words[1], second);
}

std::string help_of(const std::vector<std::string>& words) {
  if (words.empty()) return program_help();
  check_command_name(words);
  const std::string name = fmt::format("{}", fmt::join(words, " "));
  if (words.size() == 1 && !names_after(name).empty()) return group_help(name);
  for (const Section& section : sections())
    for (const Command& command : section.commands)
      if (command.name == name) return command_help(command);
  throw InputError(fmt::format("help {}: one command is expected, as in 'hardhead help learn'", name));
}

}  // namespace hardhead::app
