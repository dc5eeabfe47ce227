#pragma once
#include <atomic>
#include <string_view>
#include <thread>

#include "app/command.h"

namespace hardhead::app {

/// Ends the process without unwinding: removes what is unfinished, and says `message` on stderr.
[[noreturn]] void end_at_once(ExitCode code, std::string_view message);

/// What SIGINT, SIGTERM, SIGXCPU, SIGHUP (unless it is ignored) and SIGPIPE do from the start of this object
/// on. The first asks: the flag goes up, and the command has half a second, and a second more for each 4 GiB
/// of memory that it holds, to end by itself with what it has so far. What cannot be cut short (a
/// decomposition of a large matrix, say) ends with the process then, which removes its unfinished files, says
/// so and exits as a stopped command does: with 128 + the signal's number. A second signal of the same kind
/// but SIGPIPE ends the process at once. SIGXFSZ is ignored: the write fails. A SIGBUS of a file that became
/// shorter while it was read ends the process with a message that names the file. A process has one such
/// object.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();  ///< the command has ended by itself
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Whether a signal came, or ask() was called.
  static const std::atomic<bool>& requested();
  /// The first signal that came to this process since its Interrupt was made, which may have ended; 0 if none
  /// did.
  static int signal();
  /// Does what such a signal to this process would do; 0 for a reason that is no signal.
  static void ask(int signal);

 private:
  void watch() const;

  std::atomic<bool> ended_{false};
  std::thread watcher_;
};

}  // namespace hardhead::app
