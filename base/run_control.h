#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hardhead {

class Team;

/// Thrown by RunControl::check and caught where a run was started, which turns it into the outcome
/// `stopped`. Not an Error: nobody did anything wrong.
struct Stopped {
  std::string reason;  ///< "interrupted" or "time limit of 30 s reached"
};

/// How a long run is watched and ended from outside: a stop flag (set by a signal handler or another
/// thread), a deadline, and sinks for progress and for announcements. Long loops call check() at least ten times a second.
class RunControl {
 public:
  /// What deadlines and seconds are measured by.
  using Clock = std::chrono::steady_clock;
  /// phase, fraction done in [0, 1]. May be called from any thread of the run.
  using Progress = std::function<void(std::string_view phase, double done)>;
  /// One sentence for whoever waits, such as what the work ahead is predicted to cost.
  using Announce = std::function<void(std::string_view sentence)>;

  RunControl() = default;

  /// The run stops once `flag` is true; null for none. It must outlive the control and its copies.
  void set_stop_flag(const std::atomic<bool>* flag) { stop_flag_ = flag; }
  /// Seconds from now; the run is stopped, as an outcome, when they have passed. 1e9 or more (30 years) is no
  /// limit.
  void set_time_limit(double seconds);
  void set_progress(Progress sink) { progress_ = std::move(sink); }  ///< none at the start
  void set_announce(Announce sink) { announce_ = std::move(sink); }  ///< none at the start
  /// Processes that share the run's work (team.h); null, as at the start: this one alone.
  void set_team(const Team* team) { team_ = team; }
  const Team* team() const { return team_; }  ///< as set; null: alone
  /// Whether this process prints, writes and hands out work: it is alone, or rank 0 of its team.
  bool leads() const;

  /// Throws Stopped if the flag is up or the deadline has passed.
  void check() const;
  /// Tells the sink, if there is one, how far a phase is.
  void progress(std::string_view phase, double done) const {
    if (progress_) progress_(phase, done);
  }
  /// Tells the sink, if there is one, a sentence.
  void announce(std::string_view sentence) const {
    if (announce_) announce_(sentence);
  }

 private:
  const std::atomic<bool>* stop_flag_ = nullptr;
  std::optional<Clock::time_point> deadline_;
  double limit_seconds_ = 0;
  Progress progress_;
  Announce announce_;
  const Team* team_ = nullptr;
};

/// Wall-clock seconds since construction.
class Stopwatch {
 public:
  /// So far.
  double seconds() const { return std::chrono::duration<double>(RunControl::Clock::now() - start_).count(); }

 private:
  RunControl::Clock::time_point start_ = RunControl::Clock::now();
};

}  // namespace hardhead
