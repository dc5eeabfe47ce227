#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/flag_table.h"
#include "app/flags.h"
#include "base/run/run_context.h"
#include "base/text/parameters.h"

namespace hardhead::app {

/// How the program ends. A command that a signal stopped exits with 128 + the signal's number (stopped_by).
enum class ExitCode {
  answered = 0,       ///< ran and answered; a learner that fails to learn is an answer
  our_bug = 1,        ///< an unexpected exception, a suite made otherwise than published, a failed self-test
  bad_input = 2,      ///< input or usage, and what the machine ended: a killed process, a full disk
  over_budget = 3,    ///< refused before it started, or memory ended
  not_recovered = 4,  ///< with --require-recovery, and for a wrong answer to a challenge
};

/// What a command says that gets no more memory.
inline constexpr std::string_view out_of_memory =
    "out of memory: a smaller instance, fewer --examples or fewer --threads need less";

/// The exit code of a command that a signal stopped: 130 for SIGINT, 143 for SIGTERM.
constexpr ExitCode stopped_by(int signal) {
  return static_cast<ExitCode>(128 + signal);
}

/// What a command has to say, printed when progress is off the screen.
struct Answer {
  std::string text{};                  ///< for stdout
  std::string note{};                  ///< for stderr; empty for none
  ExitCode code = ExitCode::answered;  ///< unless a signal stopped the command
};

/// One use of a command: its options, as they are read from a command line, and the run with them.
struct Call {
  /// Stores the text of flag Command::flags[row]; "" for a switch. Throws InputError.
  std::function<void(std::size_t row, const std::string& text)> set_flag;
  /// Stores the words of the positional: at least one.
  std::function<void(const std::vector<std::string>& words)> set_positional;
  const CommonOptions& common;  ///< what every command is told
  /// Called inside the arena of --threads threads.
  std::function<Answer(const RunContext& context)> run;
};

/// One command: one file in app/commands, and one line in command_table.cc.
struct Command {
  std::string name;                   ///< "learn", or "lwe attack": a command of the group `lwe`
  std::string summary;                ///< one line
  std::vector<std::string> examples;  ///< whole command lines, as they are typed
  bool shared = false;                ///< the ranks of an MPI job share its work; else rank 0 does all
  /// Of the specs that the command takes and 'families' does not list: a title, and the parameters.
  std::vector<std::pair<std::string, std::vector<Parameter>>> parameters{};
  Positional positional{};        ///< set by make_command()
  std::vector<Flag> flags{};      ///< set by make_command(): the common ones, then its own
  std::function<Call()> begin{};  ///< set by make_command(): a call with the default options
};

/// The command with its options struct, which has a member `CommonOptions common`, the flags of that struct,
/// and what runs with it.
template <class Options>
Command make_command(Command command, const FlagTable<Options>& own_flags,
                     std::type_identity_t<Answer (*)(const Options&, const RunContext&)> run) {
  const auto flags = std::make_shared<FlagTable<Options>>();
  flags->group(&Options::common, common_flags()).append(own_flags);

  command.positional = flags->positional();
  command.flags = flags->rows_with_defaults(Options{});
  command.begin = [flags, run] {
    const auto options = std::make_shared<Options>();
    return Call{
        .set_flag = [=](std::size_t row, const std::string& text) { flags->setter(row)(*options, text); },
        .set_positional = [=](const auto& words) { flags->set_positional(*options, words); },
        .common = options->common,
        .run = [=](const RunContext& context) { return run(*options, context); }};
  };
  return command;
}

}  // namespace hardhead::app
