#pragma once
#include <mutex>
#include <string>

#include "base/run/run_context.h"

namespace hardhead::app {

/// Progress on stderr: one line rewritten in place, with an estimate of the time left, on a terminal; a plain
/// line for a new phase, at most one a second, and every ten seconds otherwise.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  ///< clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Safe to call from any thread.
  void show(std::string_view phase, double done);
  /// A line that stays.
  void announce(std::string_view sentence);

 private:
  std::string line(double now) const;

  std::mutex mutex_;
  Stopwatch watch_;
  bool terminal_, shown_ = false;
  std::string phase_, shown_phase_;
  double done_ = 1, started_ = 0, start_ = 0;  ///< the estimate counts from fraction start_ at time started_
  double shown_at_ = 0;                        ///< when the last line was written
};

}  // namespace hardhead::app
