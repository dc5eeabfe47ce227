#pragma once
#include <optional>
#include <string>

#include "base/process/guarded_process.h"
#include "base/run/stop_token.h"

namespace hardhead {

/// Runs `command` under a guard (guarded_process.h), without input, until it ends. What it writes goes to the
/// file at `log_path`. The stop token is polled every 20 ms; a run that is stopped kills the command with all
/// its processes.
///
/// Throws Stopped, MachineError if no process can be made, and Error if the log grows past 64 MiB; the
/// command is killed then.
CommandEnding run_command(const std::string& command, const std::string& log_path,
                          std::optional<double> memory_limit_bytes, const StopToken& stop);

/// `text` as one word of a shell.
std::string shell_quoted(const std::string& text);

}  // namespace hardhead
