#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <string>

namespace hardhead {

/// Thrown by StopToken::check() and caught where a run was started, which turns it into the outcome
/// `stopped`. It is not an Error: nobody did anything wrong.
struct Stopped {
  std::string reason;  ///< "interrupted" or "time limit of 30 s reached"
};

/// Tells a long run from outside that it should end: by a flag that a signal handler or another thread sets,
/// or by a deadline. Long loops call check() at least ten times a second. The default token never stops a
/// run.
class StopToken {
 public:
  /// What deadlines and seconds are measured by.
  using Clock = std::chrono::steady_clock;

  StopToken() = default;
  /// Stops the run once `flag` is true; null for no flag. The flag must outlive the token and its copies.
  explicit StopToken(const std::atomic<bool>* flag) : flag_(flag) {}
  /// This token with a deadline `seconds` from now. A limit of 1e9 seconds (30 years) or more is no
  /// limit.
  StopToken with_time_limit(double seconds) const;

  /// Throws Stopped if the flag is up or the deadline has passed.
  void check() const;
  /// Whether check() would throw.
  bool stopped() const;

 private:
  const std::atomic<bool>* flag_ = nullptr;
  std::optional<Clock::time_point> deadline_;
  double limit_seconds_ = 0;
};

/// Wall-clock seconds since construction.
class Stopwatch {
 public:
  /// So far.
  double seconds() const { return std::chrono::duration<double>(StopToken::Clock::now() - start_).count(); }

 private:
  StopToken::Clock::time_point start_ = StopToken::Clock::now();
};

}  // namespace hardhead
