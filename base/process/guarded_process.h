#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

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

  /// How the command ended, without last words; empty while it runs. Throws MachineError if that cannot be
  /// told.
  std::optional<CommandEnding> ended();

 private:
  pid_t id_;
};

}  // namespace hardhead
