#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/run/communicator.h"
#include "base/run/stop_token.h"

namespace hardhead {

/// Where a long run says how far it is. Without functions, as at the start, nothing is said.
struct ProgressSink {
  /// The phase under way and the fraction of it that is done, in [0, 1]. May be called from any thread of the
  /// run.
  std::function<void(std::string_view phase, double done)> on_progress{};
  /// One sentence for whoever waits, such as what the work ahead is predicted to cost.
  std::function<void(std::string_view sentence)> on_announcement{};

  /// Calls on_progress if there is one.
  void report(std::string_view phase, double done) const {
    if (on_progress) on_progress(phase, done);
  }
  /// Calls on_announcement if there is one.
  void announce(std::string_view sentence) const {
    if (on_announcement) on_announcement(sentence);
  }
};

/// The sink of a part of a run: its 0 .. 1 is begin .. end of `whole`, and its phases come after `prefix`.
/// Announcements are passed on.
inline ProgressSink progress_part(const ProgressSink& whole, double begin, double end,
                                  const std::string& prefix = {}) {
  ProgressSink out{.on_progress = {}, .on_announcement = whole.on_announcement};
  if (whole.on_progress)
    out.on_progress = [begin, end, prefix, outer = whole.on_progress](std::string_view phase, double done) {
      outer(prefix + std::string(phase), begin + done * (end - begin));
    };
  return out;
}

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
