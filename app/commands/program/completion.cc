#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>

#include "app/command_table.h"
#include "app/output.h"
#include "base/text/parameters.h"
#include "hardness/families/family.h"
#include "learner/learner.h"
#include "learner/method.h"
#include "lwe/attacks/attack.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct CompletionOptions {
  CommonOptions common;
  std::string shell;
};

template <class Entry>
std::vector<std::string> names(std::span<const Entry> registry) {
  std::vector<std::string> out;
  for (const Entry& entry : registry) out.push_back(entry.name);
  return out;
}

std::string flag_words(const Command& command) {
  std::string out = "--help";
  for (const Flag& flag : command.flags)
    for (const std::string& word : spellings(flag)) out += " " + word;
  return out;
}

/// Families are offered where any will do; the groups take their own.
bool takes_a_family(const Command& command) {
  const std::string& positional = command.positional.name;
  return split(command.name).first.empty() && (positional == "SPEC" || positional == "SOURCE");
}

/// What follows a flag: names for --method, nothing of ours (a file's name, then) for other values.
std::string value_cases() {
  std::set<std::string> valued;
  for (const Flag& flag : all_flags())
    if (!flag.argument.empty() && flag.name != "--method")
      for (const std::string& word : spellings(flag)) valued.insert(word);
  std::string out;
  out += fmt::format("    'lwe attack '--method) words='auto all {}' ;;\n",
                     fmt::join(names<lwe::Attack>(lwe::attacks()), " "));
  out += fmt::format("    *--method) words='{}' ;;\n",
                     fmt::join(names<learner::Method>(learner::methods()), " "));
  return out + fmt::format("    *' '{}) ;;\n", fmt::join(valued, "|*' '"));
}

std::string command_cases() {
  std::string out, any_family;
  for (const Section& section : sections())
    for (const Command& command : section.commands) {
      out += fmt::format("    '{} '-*) words='{}' ;;\n", command.name, flag_words(command));
      if (takes_a_family(command))
        any_family += fmt::format("{}'{} '*", any_family.empty() ? "" : "|", command.name);
    }
  return out + fmt::format("    {}) words='{}' ;;\n", any_family,
                           fmt::join(names<hardness::Family>(hardness::families()), " "));
}

/// A case for each name of a registry with the keys of its specs, as `line` has the two.
template <class Entry>
std::string key_cases(std::span<const Entry> registry, const char* line) {
  std::string out;
  for (const Entry& entry : registry) {
    std::string keys;
    for (const Parameter& parameter : entry.parameters)
      keys += (keys.empty() ? "" : " ") + parameter.name + "=";
    if (!keys.empty()) out += fmt::format(fmt::runtime(line), entry.name, keys);
  }
  return out;
}

/// Those of families and of learners.
std::string all_key_cases(const char* line) {
  return key_cases(hardness::families(), line) + key_cases(learner::methods(), line);
}

std::string script() {
  std::set<std::string> groups;
  for (const Section& section : sections())
    for (const Command& command : section.commands) groups.insert(split(command.name).first);
  groups.erase("");
  std::string sub_cases;
  for (const std::string& group : groups)
    sub_cases += fmt::format("    2:{}) words='{}' ;;\n", group, fmt::join(names_after(group), " "));
  return fmt::format(
      R"(_hardhead() {{
  # The words of a shell end at : and =, those of a spec do not.
  local line=${{COMP_LINE:0:$COMP_POINT}} command=${{COMP_WORDS[1]}} words= keys= key
  local word=${{line##* }} before=${{line% *}}
  before=${{before##* }}
  case "$word" in
{}  esac
  if [ -n "$keys" ]; then
    local stem=${{word%"${{word##*[:,]}}"}}
    for key in $(echo $keys); do words="$words $stem$key"; done
    compopt -o nospace 2>/dev/null
  fi
  [ -n "$words" ] || case $COMP_CWORD:$command in
    1:*) words='{} --help --version' ;;
{}    *:{}) command="$command ${{COMP_WORDS[2]}}" ;;
  esac
  [ -n "$words" ] || case "$command $before" in
{}    *) case "$command $word" in
{}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case "$COMP_WORDBREAKS" in  # bash replaces what follows the last : or = alone
    *:*) word=${{word%"${{word##*[:=]}}"}} COMPREPLY=("${{COMPREPLY[@]#"$word"}}") ;;
  esac
}}
complete -o default -F _hardhead hardhead
)",
      all_key_cases("    {}:*) keys='{}' ;;\n"), fmt::join(names_after(""), " "), sub_cases,
      fmt::join(groups, "|*:"), value_cases(), command_cases());
}

/// Around bash's script, so that zsh takes it by `source` and from a folder of its completions, where it is
/// loaded by the first completion and then has to give that too.
constexpr const char* zsh_before =
    "#compdef hardhead\n"
    "(( $+functions[compdef] )) || { autoload -U compinit && compinit }\n"
    "autoload -U +X bashcompinit && bashcompinit\n";
constexpr const char* zsh_after = "(( ! $+compstate )) || _bash_complete -o default -F _hardhead\n";

/// A word of fish: in single quotes.
std::string fish_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

/// What fish offers of a command: its flags, and names where it takes them.
std::string fish_command(const Command& command) {
  const std::string here = fmt::format("complete -c hardhead -n '__hardhead_at {}'", command.name);
  const bool attacks = command.name == "lwe attack";
  std::string out;
  for (const Flag& flag : command.flags) {
    out += here;
    for (const std::string& word : spellings(flag))
      out += word.starts_with("--") ? " -l " + word.substr(2) : " -s " + word.substr(1);
    if (!flag.argument.empty()) out += " -r";
    if (flag.name == "--method")
      out += attacks ? fmt::format(" -f -a 'auto all {}'", fmt::join(names<lwe::Attack>(lwe::attacks()), " "))
                     : fmt::format(" -f -a '(__hardhead_specs {})'",
                                   fmt::join(names<learner::Method>(learner::methods()), " "));
    out += fmt::format(" -d {}\n", fish_word(flag.help));
  }
  if (takes_a_family(command))
    out += fmt::format("{} -a '(__hardhead_specs {})'\n", here,
                       fmt::join(names<hardness::Family>(hardness::families()), " "));
  return out;
}

std::string fish_script() {
  std::string words, commands;
  std::set<std::string> groups;
  for (const Section& section : sections())
    for (const Command& command : section.commands) {
      const auto [group, name] = split(command.name);
      words += fmt::format("complete -c hardhead -f -n '__hardhead_next {}' -a {} -d {}\n", group, name,
                           fish_word(command.summary));
      if (!group.empty() && groups.insert(group).second)
        words += fmt::format("complete -c hardhead -f -n __hardhead_next -a {} -d {}\n", group,
                             fish_word(group_summary(group)));
      commands += fish_command(command);
    }
  return fmt::format(R"(function __hardhead_at -d 'whether the command line begins with these words'
  set -l words (commandline -opc)
  for i in (seq (count $argv))
    set -l at (math $i + 1)
    test "$words[$at]" = "$argv[$i]"; or return 1
  end
end
function __hardhead_next -d 'whether the word that follows these is being typed'
  set -l words (commandline -opc)
  test (count $words) -eq (math (count $argv) + 1); and __hardhead_at $argv
end
function __hardhead_specs -d 'these names, or the keys of the one that is typed'
  set -l word (commandline -ct)
  if not string match -q '*:*' -- $word
    printf '%s
' $argv
    return
  end
  set -l keys
  switch (string split -m 1 : -- $word)[1]
{}  end
  set -l stem (string replace -r '[^:,]*$' '' -- $word)
  for key in $keys
    echo $stem$key
  end
end
{}complete -c hardhead -s h -l help -d 'what a command does, and its flags'
{})",
                     all_key_cases("    case {}\n      set keys {}\n"), words, commands);
}

std::string script_for(const std::string& shell) {
  if (shell == "fish") return fish_script();
  return shell == "zsh" ? fmt::format("{}{}{}", zsh_before, script(), zsh_after) : script();
}

Answer run(const CompletionOptions& options, const RunContext&) {
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  const std::string said = script_for(shells[find_name("shell", options.shell, shells)]);
  return {options.common.json
              ? text_of(report::report_json("completion", {{"shell", options.shell}, {"script", said}}))
              : said};
}

}  // namespace

Command completion_command() {
  return make_command(
      {.name = "completion",
       .summary = "a script that completes commands, flags and names in a shell: source it",
       .examples = {"hardhead completion bash"}},
      FlagTable<CompletionOptions>().positional({"SHELL", "bash, zsh or fish"}, &CompletionOptions::shell),
      run);
}

}  // namespace hardhead::app
