#pragma once
#include <mutex>
#include <set>
#include <string>

#include "base/run_control.h"

namespace hardhead::app {

/// Progress on stderr: one line rewritten in place, with an estimate of the time left, on a terminal; a plain
/// line when a phase first comes and every ten seconds otherwise.
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
  std::string phase_;
  std::set<std::string> seen_;                 ///< phases so far, where stderr is no terminal
  double done_ = 1, started_ = 0, start_ = 0;  ///< the estimate counts from fraction start_ at time started_
  double next_ = 0;                            ///< when the line may be written again
};

}  // namespace hardhead::app
