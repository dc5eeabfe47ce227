#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <new>

#include "app/command.h"
#include "app/flags.h"
#include "app/output.h"
#include "app/progress.h"
#include "base/error.h"
#include "base/parameters.h"
#include "study/run.h"

namespace hardhead::app {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the flag is set by a signal handler");

extern "C" void request_stop(int) {
  stop_requested = true;
}

/// Blocks of examples are a few hundred kilobytes each and come and go all the time. By default the C library hands such
/// memory back to the system at once, and a third of a pass over examples goes into getting it again.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 64 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

void catch_signals() {
  struct sigaction action{};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART | SA_RESETHAND;  // a second signal ends the program at once
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

ExitCode report(ExitCode code, const std::string& message) {
  fmt::print(stderr, "hardhead: {}\n", message);
  return code;
}

ExitCode run(const Command& command, const Settings& settings) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(settings.threads));
  tbb::task_arena arena(settings.threads);
  std::optional<ProgressLine> progress;
  RunControl control;
  control.set_stop_flag(&stop_requested);
  if (!settings.quiet) {
    progress.emplace();
    control.set_progress([&](std::string_view phase, double done) { progress->show(phase, done); });
    control.set_announce([&](std::string_view sentence) { progress->announce(sentence); });
  }
  try {
    const Answer answer = arena.execute([&] { return command.run(settings, control); });
    progress.reset();
    print(answer.text);
    return answer.note.empty() ? answer.code : report(answer.code, answer.note);
  } catch (const Stopped& stopped) {
    progress.reset();
    return report(ExitCode::answered, fmt::format("stopped: {}; nothing was written", stopped.reason));
  }
}

/// "lwe attack" is `attack` of the group `lwe`; other names have no group.
std::pair<std::string, std::string> split(const std::string& name) {
  const std::size_t space = name.find(' ');
  if (space == std::string::npos) return {"", name};
  return {name.substr(0, space), name.substr(space + 1)};
}

/// A first argument that is no command gets the nearest one named.
void check_command_name(int argc, char** argv, const std::vector<Command>& commands) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> first, second;
  for (const Command& command : commands) {
    const auto [group, name] = split(command.name);
    if (std::ranges::find(first, group.empty() ? name : group) == first.end())
      first.push_back(group.empty() ? name : group);
    if (group == argv[1]) second.push_back(name);
  }
  find_name("command", argv[1], first);
  if (!second.empty() && argc > 2 && argv[2][0] != '-')
    find_name(fmt::format("command of '{}'", argv[1]), argv[2], second);
}

void add_flag(CLI::App& command, Settings& settings, const std::string& name, bool required) {
  const auto known = flags();
  const auto flag = std::find_if(known.begin(), known.end(), [&](const Flag& f) { return f.name == name; });
  if (flag->argument.empty()) {
    command.add_flag_callback(flag->name, [&settings, set = flag->set] { set(settings, ""); }, flag->help);
    return;
  }
  command
      .add_option_function<std::string>(
          flag->name, [&settings, set = flag->set](const std::string& text) { set(settings, text); },
          flag->help)
      ->type_name(flag->argument)
      ->trigger_on_parse(flag->repeatable)
      ->required(required);
}

std::string group_summary(const std::string& group) {
  if (group == "lwe")
    return "learning with errors, with rounding, parity with noise: samples, attacks, distinguishing";
  if (group == "suite")
    return "named lists of instances with digests, so that results are about the same layers";
  return "statistical queries: exact dimensions, bounds with their theorem, a learner against an oracle";
}

void add_command(CLI::App& app, Settings& settings, const Command& command) {
  const auto [group, name] = split(command.name);
  CLI::App* parent = &app;
  if (!group.empty()) {
    const auto known = app.get_subcommands([&](const CLI::App* other) { return other->get_name() == group; });
    parent = known.empty() ? app.add_subcommand(group, group_summary(group))->require_subcommand(1)
                           : known.front();
  }
  CLI::App& sub = *parent->add_subcommand(name, command.summary);
  const Command::Positional& positional = command.positional;
  if (positional.repeatable)
    sub.add_option(positional.name, settings.sources, positional.help)->required(positional.required);
  else if (!positional.name.empty())
    sub.add_option(positional.name, settings.source, positional.help)->required(positional.required);
  for (const std::string& flag : shared_flags()) add_flag(sub, settings, flag, false);
  for (const std::string& flag : command.flags) add_flag(sub, settings, flag, false);
  for (const std::string& flag : command.required_flags) add_flag(sub, settings, flag, true);
}

/// CLI11's message, with the nearest flag where one is mistyped.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<std::string> known;
  for (const Flag& flag : flags()) known.push_back(flag.name.substr(flag.name.find("--")));
  std::string message = error.what();
  for (const CLI::App* command : app.get_subcommands())
    for (const std::string& extra : command->remaining(true))
      if (extra.starts_with("--")) message += did_you_mean(extra, known);
  return message + " (--help shows the usage)";
}

ExitCode main(int argc, char** argv) {
  const std::vector<Command> commands = {
      demo_command(),       families_command(),     generate_command(),        sample_command(),
      inspect_command(),    certify_command(),      learn_command(),           compare_command(),
      sweep_command(),      reproduce_command(),    report_command(),          suite_list_command(),
      suite_show_command(), suite_verify_command(), suite_digest_command(),    sq_dimension_command(),
      sq_bound_command(),   sq_play_command(),      lwe_generate_command(),    lwe_attack_command(),
      lwe_report_command(), lwe_estimate_command(), lwe_distinguish_command(), lwe_verify_command()};
  Settings settings;
  settings.threads = tbb::info::default_concurrency();
  CLI::App app("Learning multi-head attention: nice instances are learnt, provably hard ones are not.",
               "hardhead");
  app.set_version_flag("--version", study::version());
  app.require_subcommand(1);
  for (const Command& command : commands) add_command(app, settings, command);
  try {
    check_command_name(argc, argv, commands);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return static_cast<ExitCode>(app.exit(error));
    return report(ExitCode::bad_input, explain(app, error));
  }
  catch_signals();
  std::string chosen;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    chosen += (chosen.empty() ? "" : " ") + at->get_name();
  }
  for (const Command& command : commands)
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
    return report(ExitCode::over_budget, "out of memory; --examples and --threads bound what a run needs");
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
