#include "app/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "app/output.h"
#include "app/terminal/terminal.h"

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
  if (terminal_ && shown_) say_in_place("");
}

std::string ProgressLine::line(double now) const {
  const double elapsed = now - started_, gained = done_ - start_;
  std::string left;
  if (gained > 0.005 && elapsed > 1)
    left = fmt::format("  ({} left)", duration(elapsed * (1 - done_) / gained));
  std::string phase = phase_;
  if (terminal_) {  // a line of its own that is longer than the terminal could not be written over
    constexpr std::size_t before = 6;
    const std::size_t room = columns(STDERR_FILENO).value_or(100), taken = before + left.size() + 1;
    phase = broken(phase_, room - std::min(room - 1, taken));
    phase = phase.substr(0, phase.find('\n'));
  }
  return fmt::format("{:3.0f}%  {}{}", 100 * done_, phase, left);
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
    say_in_place(line(now));
  else
    say(line(now) + "\n");
}

void ProgressLine::announce(std::string_view sentence) {
  const std::lock_guard lock(mutex_);
  const std::string text = broken(std::string(sentence), columns(STDERR_FILENO)) + "\n";
  terminal_&& shown_ ? say_in_place(text) : say(text);
}

}  // namespace hardhead::app
