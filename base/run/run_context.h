#pragma once
#include "base/run/communicator.h"
#include "base/run/progress_sink.h"
#include "base/run/stop_token.h"

namespace hardhead {

/// What surrounds a long run: who may stop it, who hears of its progress, and with which processes it shares
/// its work. A function that only has to be stoppable takes the StopToken alone.
struct RunContext {
  StopToken stop{};                            ///< by default the run is never stopped
  ProgressSink progress{};                     ///< by default nobody listens
  const Communicator* communicator = nullptr;  ///< processes that share the run's work; null: this one alone

  /// Whether this process prints, writes and hands out work: it is alone, or rank 0 of its communicator.
  bool is_root() const { return communicator == nullptr || communicator->rank() == 0; }
};

}  // namespace hardhead
