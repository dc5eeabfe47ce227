#include "app/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "app/command_table.h"
#include "app/help.h"
#include "app/output.h"
#include "base/error.h"
#include "base/files/paths.h"
#include "base/version.h"
#include "study/problem/source.h"

namespace hardhead::app {
namespace {

/// The files that a command line names: what flags write to, and what is read, each with the word that says
/// so.
struct NamedFiles {
  using Named = std::pair<std::string, std::string>;
  std::vector<Named> written, read;
};

/// Throws InputError where the command would write to a file that it reads, or to one file twice. Words that
/// name no file are in the way of none.
void check_files(const NamedFiles& files) {
  std::error_code ignored;
  for (std::size_t i = 0; i < files.written.size(); ++i) {
    const auto& [flag, path] = files.written[i];
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(files.written[j].second, path))
        throw InputError(fmt::format("{} {}: {} writes this file", flag, path, files.written[j].first));
    for (const auto& [word, source] : files.read)
      if (std::filesystem::exists(source, ignored) && same_file(source, path))
        throw InputError(fmt::format("{} {}: the command reads this file ({})", flag, path, word));
  }
}

/// A command among the subcommands of the parser, and the call that its options go to.
struct Candidate {
  const CLI::App* parser;
  ParsedLine line;
  std::shared_ptr<NamedFiles> files;
};

/// Help is ours, from the table of commands.
void set_help(CLI::App& parser, std::function<std::string()> help) {
  parser.formatter_fn(
      [help = std::move(help)](const CLI::App*, const std::string&, CLI::AppFormatMode) { return help(); });
}

void add_flag(CLI::App& parser, Candidate& candidate, std::size_t row, const Flag& flag) {
  const auto& set = candidate.line.call.set_flag;
  if (flag.argument.empty()) {
    parser.add_flag_callback(
              flag.name, [set, row] { set(row, ""); }, flag.text())
        ->disable_flag_override();  // --json=no would say yes
    return;
  }
  parser
      .add_option_function<std::string>(
          flag.name,
          [set, row, &flag, files = candidate.files](const std::string& text) {
            set(row, text);
            if (flag.argument == "FILE")
              (flag.reads ? files->read : files->written).emplace_back(long_name(flag), text);
          },
          flag.text())
      ->type_name(flag.argument)
      ->trigger_on_parse(flag.repeatable)
      ->required(flag.required);
}

void add_positional(CLI::App& parser, Candidate& candidate, const Positional& positional) {
  if (positional.name.empty()) return;
  const auto set = [store = candidate.line.call.set_positional, &command = *candidate.line.command,
                    &positional, files = candidate.files](const std::vector<std::string>& words) {
    for (const std::string& word : words)
      if (const auto learner = about_learner(command, word)) throw InputError(*learner);
    store(words);
    if (!positional.files) return;
    for (const std::string& word : words)
      files->read.emplace_back(positional.name, study::file_named(word).path);
  };
  CLI::Option* option = nullptr;
  if (positional.repeatable)
    option = parser.add_option_function<std::vector<std::string>>(positional.name, set, positional.help);
  else
    option = parser.add_option_function<std::string>(
        positional.name, [set](const std::string& word) { set({word}); }, positional.help);
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
  Candidate out{&parser, {&command, command.begin()}, std::make_shared<NamedFiles>()};
  add_positional(parser, out, command.positional);
  for (std::size_t row = 0; row < command.flags.size(); ++row) add_flag(parser, out, row, command.flags[row]);
  return out;
}

/// What is wrong, and the short help of the command. Where flags are mistyped they are named, whatever else
/// is wrong: a flag that is missing may be the one that was meant.
std::string explain(const Candidate& candidate, const CLI::ParseError& error) {
  const Command& command = *candidate.line.command;
  std::string mistyped;
  std::vector<std::string> words;
  for (const std::string& extra : candidate.parser->remaining(false))
    if (extra.starts_with("--"))
      mistyped += (mistyped.empty() ? "" : "; ") + about_flag(command, extra);
    else
      words.push_back(extra);
  const bool too_many = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const std::string what = !mistyped.empty()            ? mistyped
                           : too_many && !words.empty() ? about_words(command, words)
                                                        : error.what();
  return what + "\n" + short_help(command);
}

/// Shows the commands that there are, and throws InputError: a line names none of them.
[[noreturn]] void refuse_without_command(const CLI::App& app) {
  const auto groups = app.get_subcommands();
  say(groups.empty() ? program_help() : group_help(groups.front()->get_name()));
  throw InputError(groups.empty() ? "a command is expected, as in 'hardhead demo'"
                                  : fmt::format("a command of '{}' is expected", groups.front()->get_name()));
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
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return std::nullopt;
    }
    for (const Candidate& candidate : candidates)
      if (candidate.parser->parsed()) throw InputError(explain(candidate, error));
    refuse_without_command(app);
  }
  for (Candidate& candidate : candidates)
    if (candidate.parser->parsed()) {
      check_files(*candidate.files);
      return std::move(candidate.line);
    }
  throw Error("a command line was read, but it names no command");
}

}  // namespace hardhead::app
