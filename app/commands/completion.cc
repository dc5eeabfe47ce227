#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "app/command_table.h"
#include "base/text/parameters.h"
#include "hardness/families/family.h"
#include "learner/learner.h"
#include "lwe/attacks/attack.h"
#include "queries/learner.h"

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
    if (!flag.argument.empty() && flag.name != "--method" && flag.name != "--learner")
      for (const std::string& word : spellings(flag)) valued.insert(word);
  std::string out;
  out += fmt::format("    'lwe attack '--method) words='auto {}' ;;\n",
                     fmt::join(names<lwe::Attack>(lwe::attacks()), " "));
  const std::string by_values =
      fmt::format("{}", fmt::join(names<queries::QueryLearner>(queries::query_learners()), " "));
  out += fmt::format("    'query '--learner) words='{}' ;;\n", by_values);
  out += fmt::format("    *--method) words='{} {}' ;;\n",
                     fmt::join(names<learner::Method>(learner::methods()), " "), by_values);
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

std::string script() {
  std::set<std::string> groups;
  for (const Section& section : sections())
    for (const Command& command : section.commands) groups.insert(split(command.name).first);
  groups.erase("");
  std::string sub_cases;
  for (const std::string& group : groups)
    sub_cases += fmt::format("    2:{}) words='{}' ;;\n", group, fmt::join(names_after(group), " "));
  return fmt::format(R"(_hardhead() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=${{COMP_WORDS[1]}} words=
  case $COMP_CWORD:$command in
    1:*) words='{} --help --version' ;;
{}    *:{}) command="$command ${{COMP_WORDS[2]}}" ;;
  esac
  [ -n "$words" ] || case "$command $before" in
{}    *) case "$command $word" in
{}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _hardhead hardhead
)",
                     fmt::join(names_after(""), " "), sub_cases, fmt::join(groups, "|*:"), value_cases(),
                     command_cases());
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
  return {ExitCode::answered, zsh ? fmt::format("{}{}{}", zsh_before, script(), zsh_after) : script()};
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
