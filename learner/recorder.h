#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/run/stop_token.h"
#include "learner/report.h"

namespace hardhead::learner {

class Account;

/// Thrown where the examples do not suffice to go on: too few rows were certified, or a linear programme over
/// them has no answer. Recorder::record() turns it into a report whose failed phase is the one under way.
struct InsufficientData {
  std::string message;  ///< what is missing
};

/// Thrown by a learner to end its run as failed: a condition does not hold, or the data contradict it.
struct Failed {
  std::string message;  ///< one sentence
  std::string phase{};  ///< the phase that the failure is put down to, which has run; empty: the last one
};

/// What body() returns. An Error that it throws is thrown as an `Outcome`, Failed or InsufficientData, with
/// its text; but not a MachineError, which is no result.
template <class Outcome, class Body>
auto errors_as(const Body& body) {
  try {
    return body();
  } catch (const MachineError&) {
    throw;
  } catch (const Error& error) {
    throw Outcome{error.what()};
  }
}

/// Writes the report of a run while it goes on, so that whatever ends the run leaves all that there is by
/// then: the phases done, the phase under way with what it measured, the best layer so far.
class Recorder {
 public:
  /// Phases are not begun once `stop` says so. What a learner asks for values is counted by `account`; null
  /// for a learner by examples.
  explicit Recorder(StopToken stop, const Account* account = nullptr)
      : stop_(std::move(stop)), account_(account) {}

  /// Runs `body(phase)` as the next phase and returns what it returns. The phase reads examples 0 .. examples
  /// - 1; its clock runs until the body ends, in whichever way. Throws Stopped before it begins, and what the
  /// body throws.
  template <class Body>
  auto phase(std::string name, std::int64_t examples, const Body& body) {
    begin(std::move(name), examples);
    const Meter meter(*this);
    return body(report_.phases.back());
  }

  /// Likewise, of a learner that reads no examples.
  template <class Body>
  auto phase(std::string name, const Body& body) {
    return phase(std::move(name), 0, body);
  }

  /// Likewise, and in whichever way the body ends, `measure(phase)` afterwards adds what it has measured by
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

  /// Ends the run as failed in `phase`, for a learner that goes on to hand back what it has.
  void fail(std::string phase, std::string message) {
    end(Ending::failed, std::move(message), std::move(phase));
  }
  /// Runs the learner, whose phases are recorded, and returns the report. What it throws to end its run
  /// (Stopped, InsufficientData, OutOfQueries, BadAnswer, Failed) becomes the report's ending, and so does
  /// MachineError once a phase has begun; before that it is thrown.
  Report record(const std::function<void()>& run);

 private:
  // Writes to the last phase, when it ends, what it took.
  class Meter {
   public:
    explicit Meter(Recorder& recorder);
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
    ~Meter();

   private:
    Recorder& recorder_;
    std::int64_t queries_ = 0, tokens_ = 0;
    Stopwatch watch_;
  };

  void begin(std::string name, std::int64_t examples);
  void end(Ending ending, std::string message, std::string phase = {});

  StopToken stop_;
  const Account* account_;
  Report report_;
};

}  // namespace hardhead::learner
