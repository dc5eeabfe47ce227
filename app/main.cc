#include <fmt/format.h>
#include <fmt/ranges.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/mpi_team.h"
#include "app/output.h"
#include "app/progress.h"
#include "base/error.h"
#include "base/parameters.h"
#include "study/run.h"

namespace hardhead::app {
namespace {

/// Blocks of examples are a few hundred kilobytes each and come and go all the time. By default the C library hands such
/// memory back to the system at once, and a third of a pass over examples goes into getting it again.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 64 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

ExitCode report(ExitCode code, const std::string& message) {
  fmt::print(stderr, "hardhead: {}\n", message);
  return code;
}

ExitCode run(const Command& command, const Settings& settings) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(settings.threads));
  tbb::task_arena arena(settings.threads);
  std::optional<MpiTeam> team;
  const Interrupt interrupt;
  RunControl control;
  control.set_stop_flag(&interrupt.requested());
  if (started_by_mpi()) {
    team.emplace();
    control.set_team(&*team);
    if (!control.leads() && !command.shared) return ExitCode::answered;
  }
  std::optional<ProgressLine> progress;
  if (!settings.quiet && control.leads()) {
    progress.emplace();
    control.set_progress([&](std::string_view phase, double done) { progress->show(phase, done); });
    control.set_announce([&](std::string_view sentence) { progress->announce(sentence); });
  }
  try {
    const Answer answer = arena.execute([&] { return command.run(settings, control); });
    progress.reset();
    if (!control.leads()) return ExitCode::answered;
    print(answer.text);
    return answer.note.empty() ? answer.code : report(answer.code, answer.note);
  } catch (const Stopped& stopped) {
    progress.reset();
    return report(ExitCode::answered, fmt::format("stopped: {}; nothing was written", stopped.reason));
  }
}

/// A first argument that is no command gets the nearest one named.
void check_command_name(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  find_name("command", argv[1], names_after(""));
  const std::vector<std::string> second = names_after(argv[1]);
  if (!second.empty() && argc > 2 && argv[2][0] != '-')
    find_name(fmt::format("command of '{}'", argv[1]), argv[2], second);
}

void add_flag(CLI::App& command, Settings& settings, const CommandFlag& use) {
  const Flag& flag = *use.flag;
  if (flag.argument.empty()) {
    command.add_flag_callback(
               flag.name, [&settings, set = flag.set] { set(settings, ""); }, flag.help)
        ->disable_flag_override();  // --json=no would say yes
    return;
  }
  command
      .add_option_function<std::string>(
          flag.name, [&settings, set = flag.set](const std::string& text) { set(settings, text); }, flag.help)
      ->type_name(flag.argument)
      ->trigger_on_parse(flag.repeatable)
      ->required(use.required);
}

void add_command(CLI::App& app, Settings& settings, const Section& section, const Command& command) {
  const auto [group, name] = split(command.name);
  CLI::App* parent = &app;
  if (!group.empty()) {
    const auto known = app.get_subcommands([&](const CLI::App* other) { return other->get_name() == group; });
    parent = known.empty() ? app.add_subcommand(group, group_summary(group))->require_subcommand(1)
                           : known.front();
    parent->group(section.title);
  }
  CLI::App& sub = *parent->add_subcommand(name, command.summary);
  if (group.empty()) sub.group(section.title);
  const Command::Positional& positional = command.positional;
  if (positional.repeatable)
    sub.add_option(positional.name, settings.sources, positional.help)->required(positional.required);
  else if (!positional.name.empty())
    sub.add_option(positional.name, settings.source, positional.help)->required(positional.required);
  for (const CommandFlag& flag : flags_of(command)) add_flag(sub, settings, flag);
  sub.footer(fmt::format("Examples:\n  {}", fmt::join(command.examples, "\n  ")));
}

/// CLI11's message, with the command's nearest flag where one is mistyped.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> known;
    for (const CLI::Option* flag : command->get_options())
      if (!flag->get_lnames().empty()) known.push_back("--" + flag->get_lnames().front());
    for (const std::string& extra : command->remaining(false))
      if (extra.starts_with("--")) message += did_you_mean(extra, known);
    if (!command->get_subcommands().empty()) message = explain(*command, error);
  }
  return message;
}

ExitCode main(int argc, char** argv) {
  Settings settings;
  settings.threads = tbb::info::default_concurrency();
  CLI::App app(std::string(program_summary), "hardhead");
  app.footer("'hardhead COMMAND --help' has a command's flags and examples, 'hardhead man' all of them.");
  app.set_version_flag("--version", study::version());
  app.require_subcommand(1);
  for (const Section& section : sections())
    for (const Command& command : section.commands) add_command(app, settings, section, command);
  try {
    check_command_name(argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return static_cast<ExitCode>(app.exit(error));
    return report(ExitCode::bad_input, explain(app, error) + " (--help shows the usage)");
  }
  std::string chosen;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    chosen += (chosen.empty() ? "" : " ") + at->get_name();
  }
  for (const Section& section : sections())
    for (const Command& command : section.commands)
      if (command.name == chosen) return run(command, settings);
  return ExitCode::our_bug;
}

ExitCode guarded(int argc, char** argv) {
  try {
    return main(argc, argv);
  } catch (const InputError& error) {
    return report(ExitCode::bad_input, error.what());
  } catch (const BudgetError& error) {
    return report(ExitCode::over_budget, error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::over_budget,
                  "out of memory: a smaller instance, fewer --examples or fewer --threads need less");
  } catch (const std::exception& error) {
    return report(ExitCode::our_bug, fmt::format("internal error, please report it: {}", error.what()));
  }
}

}  // namespace
}  // namespace hardhead::app

int main(int argc, char** argv) {
  hardhead::app::keep_freed_memory();
  return static_cast<int>(hardhead::app::guarded(argc, argv));
}
