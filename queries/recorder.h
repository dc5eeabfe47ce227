#pragma once
#include <string>
#include <utility>

#include "base/run/stop_token.h"
#include "queries/oracle/account.h"
#include "queries/report.h"

namespace hardhead::queries {

/// Thrown by a learner whose condition does not hold, or whose answers contradict it. query() turns it into
/// the report: the step under way has failed.
struct Failed {
  std::string message;  ///< the condition, and what was found instead
};

/// Writes the report of a run while it goes on, so that whatever ends the run leaves all that there is by
/// then.
class Recorder {
 public:
  /// Counts what is asked by `account`. Steps are not begun once `stop` says so.
  Recorder(const Account& account, StopToken stop) : account_(account), stop_(std::move(stop)) {}

  /// Runs `body(step)` as the next step and returns what it returns.
  template <class Body>
  auto step(std::string name, const Body& body) {
    stop_.check();
    report_.steps.push_back({.name = std::move(name)});
    const Meter meter(*this);
    return body(report_.steps.back());
  }

  /// The report so far.
  Report& report() { return report_; }

 private:
  // Writes what the step took when it ends, in whichever way.
  class Meter {
   public:
    explicit Meter(Recorder& recorder)
        : recorder_(recorder), queries_(recorder.account_.queries()), tokens_(recorder.account_.tokens()) {}
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
    ~Meter() {
      Step& step = recorder_.report_.steps.back();
      step.seconds = watch_.seconds();
      step.queries = recorder_.account_.queries() - queries_;
      step.tokens = recorder_.account_.tokens() - tokens_;
    }

   private:
    Recorder& recorder_;
    std::int64_t queries_, tokens_;
    Stopwatch watch_;
  };

  const Account& account_;
  StopToken stop_;
  Report report_;
};

}  // namespace hardhead::queries
