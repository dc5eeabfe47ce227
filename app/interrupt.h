#pragma once
#include <atomic>
#include <thread>

namespace hardhead::app {

/// What SIGINT and SIGTERM do from the start of this object on. The first asks: the flag goes up, and the command has half
/// a second to end by itself, with what it has so far. What cannot be cut short (a decomposition of a large matrix, say)
/// ends with the process then, which removes its unfinished files, says so and exits as a stopped command does. A second
/// signal of the same kind ends the process at once. A process has one such object.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();  ///< the command has ended by itself
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& requested() const;

 private:
  void watch() const;

  std::atomic<bool> ended_{false};
  std::thread watcher_;
};

}  // namespace hardhead::app
