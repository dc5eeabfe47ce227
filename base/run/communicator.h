#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/run/stop_token.h"

namespace hardhead {

/// The processes that share one run's work, ranks 0 .. size - 1. Rank 0 is the root: it prints, writes files
/// and hands out work. All run the same program on the same input. Calls are made by one thread at a time,
/// and those of all_gather in the same order on all ranks.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// This process: 0 .. size() - 1.
  virtual int rank() const = 0;
  /// How many there are.
  virtual int size() const = 0;
  /// Everyone's message in the order of ranks, on every rank. It waits for all of them and is never given up:
  /// a rank that cannot do its part says so in its message (gather_work.h).
  virtual std::vector<std::string> all_gather(const std::string& own) const = 0;
  /// Sends a message to one rank, which gets it by receive(). Throws Stopped when `stop` says so meanwhile.
  virtual void send(int to, const std::string& message, const StopToken& stop) const = 0;
  /// The next message to this rank, and the rank that sent it. Throws Stopped when `stop` says so meanwhile.
  virtual std::pair<int, std::string> receive(const StopToken& stop) const = 0;
};

}  // namespace hardhead
