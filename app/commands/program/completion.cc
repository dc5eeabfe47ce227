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
  out += fmt::format("    'lwe attack '--method) words='auto {}' ;;\n",
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

/// A case for each name of a registry, with the keys of its specs.
template <class Entry>
std::string key_cases(std::span<const Entry> registry) {
  std::string out;
  for (const Entry& entry : registry) {
    std::vector<std::string> keys;
    for (const Parameter& parameter : entry.parameters) keys.push_back(parameter.name + "=");
    if (!keys.empty()) out += fmt::format("    {}:*) keys='{}' ;;\n", entry.name, fmt::join(keys, " "));
  }
  return out;
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
      key_cases(hardness::families()) + key_cases(learner::methods()), fmt::join(names_after(""), " "),
      sub_cases, fmt::join(groups, "|*:"), value_cases(), command_cases());
}

/// Around bash's script, so that zsh takes it by `source` and from a folder of its completions, where it is
/// loaded by the first completion and then has to give that too.
constexpr const char* zsh_before =
    "#compdef hardhead\n"
    "(( $+functions[compdef] )) || { autoload -U compinit && compinit }\n"
    "autoload -U +X bashcompinit && bashcompinit\n";
constexpr const char* zsh_after = "(( ! $+compstate )) || _bash_complete -o default -F _hardhead\n";

Answer run(const CompletionOptions& options, const RunContext&) {
  const std::vector<std::string> shells = {"bash", "zsh"};
  const bool zsh = find_name("shell", options.shell, shells) == 1;
  const std::string said = zsh ? fmt::format("{}{}{}", zsh_before, script(), zsh_after) : script();
  return {ExitCode::answered, options.common.json
                                  ? text_of(report::report_json(report::Document::completion,
                                                                {{"shell", options.shell}, {"script", said}}))
                                  : said};
}

}  // namespace

Command completion_command() {
  return make_command(
      {.name = "completion",
       .summary = "a script that completes commands, flags and names in a shell: source it",
       .examples = {"hardhead completion bash"}},
      FlagTable<CompletionOptions>().positional({"SHELL", "bash or zsh"}, &CompletionOptions::shell), run);
}

}  // namespace hardhead::app
