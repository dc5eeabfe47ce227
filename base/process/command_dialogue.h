#pragma once
#include <optional>
#include <string>

#include "base/process/guarded_process.h"

namespace hardhead {

/// A command of the user's that is talked to by its standard input and output, line by line, under a guard
/// (guarded_process.h). What it writes to stderr goes to its log. Every wait polls the stop token; when the
/// object goes, the command is killed with all its processes.
class CommandDialogue {
 public:
  /// Starts the command. Throws Stopped, and MachineError if no process can be made.
  CommandDialogue(const std::string& command, const std::string& log_path, StopToken stop);
  ~CommandDialogue();
  CommandDialogue(const CommandDialogue&) = delete;
  CommandDialogue& operator=(const CommandDialogue&) = delete;

  /// Sends a line, and keeps what the command writes meanwhile. A command that has closed its input hears
  /// nothing, which is no error: its next line, or its end, tells. Throws Stopped.
  void tell(const std::string& line);
  /// The next line that the command writes, without its newline; empty once it has ended its output. Throws
  /// Stopped, and Error for a line, or a log, of more than 64 MiB.
  std::optional<std::string> hear();
  /// Closes the command's input and waits until it ends; what it still writes is not heard. Throws Stopped.
  CommandEnding end();

 private:
  void wait(bool to_write);

  StopToken stop_;
  CommandLog log_;
  int input_ = -1, output_ = -1;  ///< our ends
  std::optional<GuardedProcess> process_;
  std::string heard_;  ///< and not yet handed on
};

}  // namespace hardhead
