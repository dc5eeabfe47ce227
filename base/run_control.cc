#include "base/run_control.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/team.h"

namespace hardhead {

void RunControl::set_time_limit(double seconds) {
  constexpr double longest = 1e9;  // nanoseconds since boot plus this still fit in the clock's 64 bits
  limit_seconds_ = seconds;
  deadline_.reset();
  if (!(seconds < longest)) return;
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(std::max(seconds, 0.0)));
}

void RunControl::check() const {
  if (stop_flag_ != nullptr && stop_flag_->load(std::memory_order_relaxed)) throw Stopped{"interrupted"};
  if (deadline_ && Clock::now() >= *deadline_)
    throw Stopped{fmt::format("time limit of {} s reached", limit_seconds_)};
}

bool RunControl::leads() const {
  return team_ == nullptr || team_->rank() == 0;
}

}  // namespace hardhead
