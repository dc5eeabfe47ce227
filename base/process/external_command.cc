#include "base/process/external_command.h"

#include <unistd.h>

namespace hardhead {

CommandEnding run_command(const std::string& command, const std::string& log_path,
                          std::optional<double> memory_limit_bytes, const StopToken& stop) {
  stop.check();
  const CommandLog log(log_path);
  GuardedProcess process(command, {-1, log.file(), log.file()}, memory_limit_bytes);
  while (true) {
    stop.check();
    log.check_size();
    if (std::optional<CommandEnding> ending = process.ended()) {
      ending->last_words = log.end();
      return *ending;
    }
    ::usleep(20'000);
  }
}

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace hardhead
