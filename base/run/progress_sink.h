#pragma once
#include <functional>
#include <string_view>

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

}  // namespace hardhead
