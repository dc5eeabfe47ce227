#include "app/interrupt.h"

#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "app/command.h"
#include "base/files/scoped_path.h"

namespace hardhead::app {
namespace {

constexpr long grace_nanoseconds = 500'000'000, second_nanoseconds = 1'000'000'000;

// The handler's, for as long as the process lives.
std::atomic<bool> stop_requested{false};
std::atomic<int> first_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "both are set by a signal handler");
::sem_t woken;

extern "C" void request_stop(int signal) {
  const int before = errno;
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  stop_requested = true;
  ::sem_post(&woken);
  errno = before;
}

}  // namespace

Interrupt::Interrupt() {
  ::sem_init(&woken, 0, 0);
  watcher_ = std::thread([this] { watch(); });
  struct sigaction action{};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

Interrupt::~Interrupt() {
  ended_ = true;
  ::sem_post(&woken);
  watcher_.join();
}

const std::atomic<bool>& Interrupt::requested() const {
  return stop_requested;
}

int Interrupt::signal() {
  return first_signal;
}

void Interrupt::watch() const {
  while (::sem_wait(&woken) != 0 && errno == EINTR) {
  }
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += grace_nanoseconds;
  until.tv_sec += until.tv_nsec / second_nanoseconds;
  until.tv_nsec %= second_nanoseconds;
  while (!ended_)
    if (::sem_timedwait(&woken, &until) != 0 && errno == ETIMEDOUT) break;
  if (ended_) return;
  remove_unfinished();
  constexpr std::string_view message = "hardhead: stopped: interrupted in a step that cannot be cut short\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
  std::_Exit(static_cast<int>(stopped_by(signal())));
}

}  // namespace hardhead::app
