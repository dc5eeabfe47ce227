#pragma once
#include <string>
#include <vector>

#include "app/settings.h"
#include "base/run_control.h"

namespace hardhead::app {

enum class ExitCode {
  answered = 0,       ///< ran and answered; a learner that fails to learn is an answer
  our_bug = 1,        ///< an unexpected exception, a suite made otherwise than published, a failed self-test
  bad_input = 2,      ///< input or usage
  over_budget = 3,    ///< refused before it started
  not_recovered = 4,  ///< only with --require-recovery
};

/// What a command has to say, printed when progress is off the screen.
struct Answer {
  ExitCode code = ExitCode::answered;
  std::string text;    ///< for stdout
  std::string note{};  ///< for stderr; empty for none
};

/// One command: one file, and one line in commands.cc. `run` is called inside the arena of --threads threads.
struct Command {
  struct Positional {
    std::string name, help;   ///< no name: the command takes none
    bool repeatable = false;  ///< goes to Settings::sources instead of Settings::source
    bool required = true;
  };

  std::string name;  ///< "learn", or "lwe attack": a command of the group `lwe`
  std::string summary;
  Positional positional;
  std::vector<std::string> flags;           ///< besides the shared ones, as the table of flags names them
  std::vector<std::string> required_flags;  ///< these too
  std::vector<std::string> examples;        ///< whole command lines, as they are typed
  Answer (*run)(const Settings& settings, const RunControl& control);
  bool shared = false;  ///< whether the ranks of an MPI job share its work; of other commands rank 0 does all
};

Command demo_command();
Command families_command();
Command generate_command();
Command sample_command();
Command inspect_command();
Command certify_command();
Command learn_command();
Command compare_command();
Command sweep_command();
Command reproduce_command();
Command report_command();
Command suite_list_command();
Command suite_show_command();
Command suite_verify_command();
Command suite_digest_command();
Command sq_dimension_command();
Command sq_bound_command();
Command sq_play_command();
Command lwe_generate_command();
Command lwe_attack_command();
Command lwe_report_command();
Command lwe_estimate_command();
Command lwe_distinguish_command();
Command lwe_verify_command();
Command completion_command();
Command man_command();
Command doctor_command();

}  // namespace hardhead::app
