#include "app/help.h"

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct HelpOptions {
  CommonOptions common;
  std::vector<std::string> words;  ///< of the command; none for the program
};

Answer run_help(const HelpOptions& options, const RunContext&) {
  const std::string said = help_of(options.words);
  return {ExitCode::answered, options.common.json
                                  ? text_of(report::report_json(report::Document::help, {{"help", said}}))
                                  : said};
}

}  // namespace

Command help_command() {
  return make_command(
      {.name = "help",
       .summary = "what a command does, with its flags and examples; without one, all commands",
       .examples = {"hardhead help", "hardhead help learn", "hardhead help lwe attack"}},
      FlagTable<HelpOptions>().positional(
          {.name = "COMMAND", .help = "a command or a group of commands", .required = false},
          &HelpOptions::words),
      run_help);
}

}  // namespace hardhead::app
