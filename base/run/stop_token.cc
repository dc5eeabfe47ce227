#include "base/run/stop_token.h"

#include <fmt/format.h>

#include <algorithm>

namespace hardhead {

StopToken StopToken::with_time_limit(double seconds) const {
  constexpr double longest = 1e9;  // nanoseconds since boot plus this still fit in the clock's 64 bits
  StopToken limited = *this;
  limited.limit_seconds_ = seconds;
  limited.deadline_.reset();
  if (seconds < longest)
    limited.deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(std::max(seconds, 0.0)));
  return limited;
}

void StopToken::check() const {
  if (flag_ != nullptr && flag_->load(std::memory_order_relaxed)) throw Stopped{"interrupted"};
  if (deadline_ && Clock::now() >= *deadline_)
    throw Stopped{fmt::format("time limit of {} s reached", limit_seconds_)};
}

bool StopToken::stopped() const {
  try {
    check();
    return false;
  } catch (const Stopped&) {
    return true;
  }
}

}  // namespace hardhead
