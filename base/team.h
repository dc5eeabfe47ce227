#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/run_control.h"

namespace hardhead {

/// The processes that share one run's work: ranks 0 .. size - 1, of which rank 0 leads: it prints, writes files and
/// hands out work. All run the same program on the same input. Calls are made by one thread at a time, and those of
/// all_gather in the same order on all ranks. Every call waits for others, and throws Stopped when `control` stops it
/// meanwhile.
class Team {
 public:
  virtual ~Team() = default;
  /// This process: 0 .. size() - 1.
  virtual int rank() const = 0;
  /// How many there are.
  virtual int size() const = 0;
  /// Everyone's message in the order of ranks, on every rank.
  virtual std::vector<std::string> all_gather(const std::string& own, const RunControl& control) const = 0;
  /// A message to one rank, which it gets by receive().
  virtual void send(int to, const std::string& message, const RunControl& control) const = 0;
  /// The next message to this rank, and whose it is.
  virtual std::pair<int, std::string> receive(const RunControl& control) const = 0;
};

}  // namespace hardhead
