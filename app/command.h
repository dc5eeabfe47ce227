#pragma once
#include <string>

#include "app/settings.h"
#include "base/run_control.h"

namespace CLI {
class App;
}

namespace hardhead::app {

enum class ExitCode {
  answered = 0,       ///< ran and answered; a learner that fails to learn is an answer
  our_bug = 1,        ///< an unexpected exception
  bad_input = 2,      ///< input or usage
  over_budget = 3,    ///< refused before it started
  not_recovered = 4,  ///< only with --require-recovery
};

/// One command: one file, and one line in main.cc. `run` is called inside the arena of --threads threads.
struct Command {
  std::string name;
  std::string summary;
  void (*configure)(CLI::App& command, Settings& settings);
  ExitCode (*run)(const Settings& settings, const RunControl& control);
};

Command demo_command();
Command families_command();
Command generate_command();
Command sample_command();
Command inspect_command();
Command learn_command();
Command compare_command();

}  // namespace hardhead::app
