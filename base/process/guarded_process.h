#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/run/stop_token.h"

namespace hardhead {

/// How a command of the user's ended.
struct CommandEnding {
  int exit_code = 0;       ///< where no signal ended it
  int signal = 0;          ///< 0: none
  std::string last_words;  ///< the end of what it wrote to its log, at most 2000 bytes

  /// Did it end by itself, with exit code 0?
  bool well() const { return exit_code == 0 && signal == 0; }
  /// "exit code 1", "signal 9 (Killed)".
  std::string str() const;
  /// Whether the machine ended it, and not the program itself: a signal (also as a shell reports it, 128 +
  /// its number), a program or an interpreter that is not there or cannot be executed (126, 127), and last
  /// words that speak of memory, of a full disk or of MPI that did not start. Memory that a limit of the run
  /// refused is the program's own affair.
  bool by_the_machine(bool has_memory_limit) const;
};

/// Descriptors that a command gets as its own 0, 1 and 2.
struct StandardFiles {
  int input;   ///< -1: /dev/null
  int output;  ///< what it writes
  int errors;  ///< what it complains of
};

/// What a command writes. The file stays open here: what becomes of its name is the command's affair.
class CommandLog {
 public:
  /// Throws MachineError if the file cannot be written.
  explicit CommandLog(const std::string& path);
  ~CommandLog();
  CommandLog(const CommandLog&) = delete;
  CommandLog& operator=(const CommandLog&) = delete;

  int file() const { return file_; }  ///< for StandardFiles
  /// Throws Error if the command wrote more than 64 MiB.
  void check_size() const;
  /// The end of it, at most 2000 bytes, without the spaces and newlines at its end.
  std::string end() const;

 private:
  off_t size() const;

  int file_;
};

/// A command of the user's, run by /bin/sh in a process group of its own under a guard: none of its processes
/// outlives this object, or this program, whatever session it is in. Its parent is a process between it and
/// the guard, so that a command that stops or kills its parent does not get rid of the guard. In a job of MPI
/// it does not inherit what makes a process a rank. With a memory limit, a process of it that allocates more
/// than this many bytes of address space is refused them.
class GuardedProcess {
 public:
  /// Throws MachineError if no process can be made.
  GuardedProcess(const std::string& command, const StandardFiles& files,
                 std::optional<double> memory_limit_bytes);
  /// Kills whatever is left of it, also where the guard was stopped.
  ~GuardedProcess();
  GuardedProcess(const GuardedProcess&) = delete;
  GuardedProcess& operator=(const GuardedProcess&) = delete;

  /// Waits until the command ends, and says how. Polls the stop token and the size of its log every 20 ms.
  /// Throws Stopped, Error as check_size(), and MachineError if the end cannot be told.
  CommandEnding end(const CommandLog& log, const StopToken& stop);

 private:
  pid_t id_;
};

/// Runs `command` under a guard, without input, until it ends. What it writes goes to the
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
