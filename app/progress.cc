#include "app/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "app/output.h"

namespace hardhead::app {
namespace {

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (terminal_ && shown_) say("\r\033[K");
}

std::string ProgressLine::line(double now) const {
  std::string text = fmt::format("{:3.0f}%  {}", 100 * done_, phase_);
  const double elapsed = now - started_, gained = done_ - start_;
  if (gained > 0.005 && elapsed > 1)
    text += fmt::format("  ({} left)", duration(elapsed * (1 - done_) / gained));
  return text;
}

void ProgressLine::show(std::string_view phase, double done) {
  const std::lock_guard lock(mutex_);
  const double now = watch_.seconds();
  if (done < done_) {
    started_ = now;
    start_ = done;
  }
  done_ = done;
  phase_ = phase;
  const double wait = terminal_ ? 0.1 : phase_ != shown_phase_ ? 1 : 10;
  if (shown_ && now < shown_at_ + wait) return;
  shown_ = true;
  shown_at_ = now;
  shown_phase_ = phase_;
  if (terminal_)
    say("\r\033[K" + line(now).substr(0, 100));
  else
    say(line(now) + "\n");
}

void ProgressLine::announce(std::string_view sentence) {
  const std::lock_guard lock(mutex_);
  say(fmt::format("{}{}\n", terminal_ && shown_ ? "\r\033[K" : "", sentence));
}

}  // namespace hardhead::app
