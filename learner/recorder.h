#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "base/run/stop_token.h"
#include "learner/report.h"

namespace hardhead::learner {

/// Thrown by a learner to end its run as failed. learn() turns it into the report.
struct Failed {
  std::string phase;    ///< the phase that the failure is put down to, which has run
  std::string message;  ///< one sentence
};

/// Writes the report of a run while it goes on, so that whatever ends the run leaves all that there is by
/// then: the phases done, the phase under way with what it measured, the best layer so far.
class Recorder {
 public:
  /// Phases are not begun once `stop` says so.
  explicit Recorder(StopToken stop) : stop_(std::move(stop)) {}

  /// Runs `body(phase)` as the next phase and returns what it returns. The phase reads examples 0 .. examples
  /// - 1; its clock runs until the body ends, in whichever way. Throws Stopped before it begins, and what the
  /// body throws.
  template <class Body>
  auto phase(std::string name, std::int64_t examples, const Body& body) {
    begin(std::move(name), examples);
    const Clock clock(*this);
    return body(report_.phases.back());
  }

  /// The same, and in whichever way the body ends, `measure(phase)` afterwards adds what it has measured by
  /// then.
  template <class Body, class Measure>
  void phase(std::string name, std::int64_t examples, const Body& body, const Measure& measure) {
    phase(std::move(name), examples, [&](Phase& entry) {
      try {
        body(entry);
      } catch (...) {
        measure(entry);
        throw;
      }
      measure(entry);
    });
  }

  /// The report so far, for the learner to write its layer, its message and so on.
  Report& report() { return report_; }

  /// Ends the run as failed in `phase`.
  void fail(std::string phase, std::string message);
  /// Ends the run as stopped.
  void stop(std::string reason);

 private:
  // Writes the time since its construction to the last phase when it ends.
  class Clock {
   public:
    explicit Clock(Recorder& recorder) : recorder_(recorder) {}
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    ~Clock() { recorder_.report_.phases.back().seconds = watch_.seconds(); }

   private:
    Recorder& recorder_;
    Stopwatch watch_;
  };

  void begin(std::string name, std::int64_t examples);

  StopToken stop_;
  Report report_;
};

}  // namespace hardhead::learner
