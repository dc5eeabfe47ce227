#pragma once
#include <optional>
#include <string>

#include "base/run/stop_token.h"

namespace hardhead {

/// How a command of the user's ended.
struct CommandEnding {
  int exit_code = 0;       ///< where no signal ended it
  int signal = 0;          ///< 0: none
  std::string last_words;  ///< the end of what it wrote to stdout and stderr, at most 2000 bytes

  /// Did it end by itself, with exit code 0?
  bool well() const { return exit_code == 0 && signal == 0; }
  /// "exit code 1", "signal 9 (Killed)".
  std::string str() const;
};

/// Runs `command` by /bin/sh in a process group of its own, without input. None of its processes outlives it,
/// or this program, whatever session it is in. What it writes goes to the file at `log_path`. With a memory
/// limit, a process of it that allocates more than this many bytes of address space is refused them. The stop
/// token is polled every 20 ms; a run that is stopped kills the group.
///
/// Throws Stopped, and Error if no process can be made or the log grows past 64 MiB; the group is killed
/// then.
CommandEnding run_command(const std::string& command, const std::string& log_path,
                          std::optional<double> memory_limit_bytes, const StopToken& stop);

/// `text` as one word of a shell.
std::string shell_quoted(const std::string& text);

}  // namespace hardhead
