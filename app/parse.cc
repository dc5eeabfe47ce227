#include "app/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/command_table.h"
#include "app/help.h"
#include "base/error.h"
#include "base/text/parameters.h"
#include "base/version.h"

namespace hardhead::app {
namespace {

/// A command among the subcommands of the parser, and the call that its options go to.
struct Candidate {
  const CLI::App* parser;
  ParsedLine line;
};

/// Help is ours, from the table of commands.
void set_help(CLI::App& parser, std::function<std::string()> help) {
  parser.formatter_fn(
      [help = std::move(help)](const CLI::App*, const std::string&, CLI::AppFormatMode) { return help(); });
}

void add_flag(CLI::App& parser, Call& call, std::size_t row, const Flag& flag) {
  if (flag.argument.empty()) {
    parser.add_flag_callback(
              flag.name, [&call, row] { call.set_flag(row, ""); }, flag.help)
        ->disable_flag_override();  // --json=no would say yes
    return;
  }
  parser
      .add_option_function<std::string>(
          flag.name, [&call, row](const std::string& text) { call.set_flag(row, text); }, flag.help)
      ->type_name(flag.argument)
      ->trigger_on_parse(flag.repeatable)
      ->required(flag.required);
}

void add_positional(CLI::App& parser, Call& call, const Positional& positional) {
  if (positional.name.empty()) return;
  CLI::Option* option = nullptr;
  if (positional.repeatable)
    option = parser.add_option_function<std::vector<std::string>>(
        positional.name, [&call](const std::vector<std::string>& words) { call.set_positional(words); },
        positional.help);
  else
    option = parser.add_option_function<std::string>(
        positional.name, [&call](const std::string& word) { call.set_positional({word}); }, positional.help);
  option->required(positional.required);
}

Candidate add_command(CLI::App& app, const Command& command) {
  const auto [group, name] = split(command.name);
  CLI::App* parent = &app;
  if (!group.empty()) {
    const auto known = app.get_subcommands([&](const CLI::App* other) { return other->get_name() == group; });
    parent = known.empty() ? app.add_subcommand(group, group_summary(group))->require_subcommand(1)
                           : known.front();
    set_help(*parent, [group = group] { return group_help(group); });
  }
  CLI::App& parser = *parent->add_subcommand(name, command.summary);
  set_help(parser, [&command] { return command_help(command); });
  Candidate out{&parser, {&command, command.begin()}};
  add_positional(parser, *out.line.call, command.positional);
  for (std::size_t row = 0; row < command.flags.size(); ++row)
    add_flag(parser, *out.line.call, row, command.flags[row]);
  return out;
}

/// CLI11's message. Where flags are mistyped it names these, with the command's nearest ones, whatever else
/// is wrong: a flag that is missing may be the one that was meant.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what(), mistyped;
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> known;
    for (const CLI::Option* flag : command->get_options())
      if (!flag->get_lnames().empty()) known.push_back("--" + flag->get_lnames().front());
    for (const std::string& extra : command->remaining(false))
      if (extra.starts_with("--"))
        mistyped += fmt::format("{}{} is no flag of '{}'{}", mistyped.empty() ? "" : "; ", extra,
                                command->get_name(), did_you_mean(extra, known));
    if (!command->get_subcommands().empty()) message = explain(*command, error);
  }
  return mistyped.empty() ? message : mistyped;
}

}  // namespace

std::optional<ParsedLine> parse(int argc, char** argv) {
  CLI::App app(std::string(program_summary), "hardhead");
  set_help(app, program_help);
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  std::vector<Candidate> candidates;
  for (const Section& section : sections())
    for (const Command& command : section.commands) candidates.push_back(add_command(app, command));
  try {
    check_command_name({argv + 1, argv + std::max(argc, 1)});
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw InputError(explain(app, error) + " (--help shows the usage)");
    app.exit(error);
    return std::nullopt;
  }
  for (Candidate& candidate : candidates)
    if (candidate.parser->parsed()) return std::move(candidate.line);
  throw Error("a command line was read, but it names no command");
}

}  // namespace hardhead::app
