#include "lwe/outside/program_attack.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files/temporary_folder.h"
#include "base/process/guarded_process.h"
#include "base/text/quoted.h"
#include "lwe/files/instance_file.h"

namespace hardhead::lwe {
namespace {

Candidate solution_of(const std::string& command, const Challenge& challenge, const RunContext& context,
                      std::string& message) {
  const TemporaryFolder folder("hardhead-attack");
  const std::string given = folder.file("challenge.json"), wanted = folder.file("solution.json");
  write_json_challenge(given, challenge);
  const std::string line = fmt::format("{} {} {}", command, shell_quoted(given), shell_quoted(wanted));
  const CommandEnding ending = run_command(line, folder.file("log"), std::nullopt, context.stop);
  const std::string last = ending.last_words.substr(ending.last_words.rfind('\n') + 1);
  message =
      fmt::format("the program ended with {}{}", ending.str(), last.empty() ? "" : ": " + in_quotes(last));
  std::error_code ignored;
  if (!ending.well()) return std::nullopt;
  if (!std::filesystem::exists(wanted, ignored)) {
    message += "; it wrote no solution";
    return std::nullopt;
  }
  return read_solution(wanted, challenge.parameters.q).secret;
}

}  // namespace

Attack own_attack(std::string name, decltype(Attack::run) run) {
  return {.name = std::move(name),
          .summary = "an attack of your own",
          .guarantee = "its own; the witness is verified",
          .cost =
              [](const ProblemParameters&, std::int64_t) {
                return Cost{.not_applicable = std::nullopt,
                            .seconds = std::numeric_limits<double>::quiet_NaN()};
              },
          .run = std::move(run)};
}

Attack program_attack(const std::string& command) {
  return own_attack("exec:" + command,
                    [command](const Challenge& challenge, const RunContext& context, std::string& message) {
                      return solution_of(command, challenge, context, message);
                    });
}

Attack attack_of(const Spec& method) {
  const std::string* const command = method.value("command");
  if (method.name == "exec" && command != nullptr && method.values.size() == 1)
    return program_attack(*command);
  if (!method.values.empty())
    throw InputError(fmt::format("--method {}: attacks have no options", method.str()));
  return find_attack(method.name);
}

}  // namespace hardhead::lwe
