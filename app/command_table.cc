#include "app/command_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hardhead::app {

// The sections and their commands, in the order in which help shows them. A line is a command: command(NAME)
// stands for the function NAME_command(), which the command's own file defines.
// clang-format off
#define HARDHEAD_COMMANDS(section, command) \
  section("What there is")                  \
  command(demo)                             \
  command(families)                         \
  section("Layers and data")                \
  command(generate)                         \
  command(sample)                           \
  command(import)                           \
  command(inspect)                          \
  command(certify)                          \
  command(suite)                            \
  section("Learning")                       \
  command(learn)                            \
  command(compare)                          \
  command(best)                             \
  command(fewest)                           \
  command(sweep)                            \
  command(reproduce)                        \
  command(atlas)                            \
  command(report)                           \
  section("Why it is hard")                 \
  command(hardness)                         \
  command(sq_dimension)                     \
  command(sq_bound)                         \
  command(sq_play)                          \
  command(lwe_generate)                     \
  command(lwe_attack)                       \
  command(lwe_estimate)                     \
  command(lwe_distinguish)                  \
  section("Challenges")                     \
  command(challenge_make)                   \
  command(challenge_data)                   \
  command(challenge_verify)                 \
  section("This program")                   \
  command(help)                             \
  command(completion)                       \
  command(doctor)
// clang-format on

#define HARDHEAD_NOTHING(title)
#define HARDHEAD_DECLARE(name) Command name##_command();
HARDHEAD_COMMANDS(HARDHEAD_NOTHING, HARDHEAD_DECLARE)
#undef HARDHEAD_DECLARE
#undef HARDHEAD_NOTHING

std::span<const Section> sections() {
  static const std::vector<Section> all = [] {
    std::vector<Section> out;
#define HARDHEAD_SECTION(title) out.push_back({title, {}});
#define HARDHEAD_COMMAND(name) out.back().commands.push_back(name##_command());
    HARDHEAD_COMMANDS(HARDHEAD_SECTION, HARDHEAD_COMMAND)
#undef HARDHEAD_COMMAND
#undef HARDHEAD_SECTION
    return out;
  }();
  return all;
}

std::pair<std::string, std::string> split(const std::string& name) {
  const std::size_t space = name.find(' ');
  if (space == std::string::npos) return {"", name};
  return {name.substr(0, space), name.substr(space + 1)};
}

std::string group_summary(const std::string& group) {
  static const std::map<std::string, std::string> summaries = {
      {"challenge", "hidden layers for others to find, with a commitment that checks answers"},
      {"lwe", "learning with errors, with rounding, parity with noise: samples, attacks, distinguishing"},
      {"sq",
       "statistical queries: exact dimensions, bounds with their theorem, a learner against an oracle"}};
  return summaries.at(group);
}

std::vector<std::string> names_after(const std::string& group) {
  std::vector<std::string> out;
  for (const Section& section : sections())
    for (const Command& command : section.commands) {
      const auto [of, name] = split(command.name);
      if (!group.empty() && of != group) continue;
      const std::string& word = group.empty() && !of.empty() ? of : name;
      if (std::ranges::find(out, word) == out.end()) out.push_back(word);
    }
  return out;
}

namespace {

/// What a flag means to some commands, with their defaults.
struct Meaning {
  Flag flag;                                                  // as the first of them has it
  std::string command;                                        // the first
  std::vector<std::pair<std::string, std::string>> defaults;  // with the commands that have them

  void add(const std::string& fallback, const std::string& of) {
    const auto same = std::ranges::find(defaults, fallback, &std::pair<std::string, std::string>::first);
    if (same == defaults.end())
      defaults.emplace_back(fallback, of);
    else
      same->second += ", " + of;
  }
  /// Where commands differ, the first default stands for those that are not named.
  std::string text() const {
    Flag out = flag;
    if (defaults.size() > 1) {
      out.fallback = defaults.front().first.empty() ? "none" : defaults.front().first;
      for (std::size_t i = 1; i < defaults.size(); ++i)
        out.fallback += fmt::format("; {}: {}", defaults[i].second,
                                    defaults[i].first.empty() ? "none" : defaults[i].first);
    }
    return out.text();
  }
};

}  // namespace

std::vector<Flag> all_flags() {
  std::vector<std::pair<Flag, std::vector<Meaning>>> found;
  for (const Section& section : sections())
    for (const Command& command : section.commands)
      for (const Flag& flag : command.flags) {
        auto known =
            std::ranges::find_if(found, [&](const auto& one) { return one.first.name == flag.name; });
        if (known == found.end()) known = found.insert(found.end(), {flag, {}});
        auto& meanings = known->second;
        auto same = std::ranges::find_if(meanings, [&](const Meaning& one) {
          return one.flag.help == flag.help && one.flag.range == flag.range;
        });
        if (same == meanings.end()) same = meanings.insert(same, {flag, command.name, {}});
        same->add(flag.fallback, command.name);
      }
  std::vector<Flag> out;
  for (auto& [flag, meanings] : found) {
    flag.help = meanings.front().text();
    for (std::size_t i = 1; i < meanings.size(); ++i)
      flag.help += fmt::format("; {}: {}", meanings[i].command, meanings[i].text());
    flag.range = flag.fallback = "";
    out.push_back(flag);
  }
  return out;
}

}  // namespace hardhead::app
