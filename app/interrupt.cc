#include "app/interrupt.h"

#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/files/mapped_file.h"
#include "base/files/scoped_path.h"
#include "base/text/quoted.h"

namespace hardhead::app {
namespace {

constexpr long second_nanoseconds = 1'000'000'000;
constexpr double grace = 0.5;  // seconds
// Bytes a second, at least, that a command gives back as it ends.
constexpr double given_back = 4.0 * (1 << 30);

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

/// A mapped file that became shorter while it was read, as a bus error has told.
std::atomic<const char*> cut_short{nullptr};

/// The watcher ends the process; the thread that cannot read on waits for that.
extern "C" void name_the_file(int, siginfo_t* about, void*) {
  const char* file = mapped_file_at(about->si_addr);
  if (file == nullptr) {
    std::signal(SIGBUS, SIG_DFL);  // it comes again when the handler returns
    return;
  }
  cut_short = file;
  ::sem_post(&woken);
  while (true) ::pause();
}

// Seconds that a command has to end.
double time_to_end() {
  long long pages = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lld %lld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return grace + static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / given_back;
}

}  // namespace

void end_at_once(ExitCode code, std::string_view message) {
  remove_unfinished();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
  std::_Exit(static_cast<int>(code));
}

Interrupt::Interrupt() {
  ::sem_init(&woken, 0, 0);
  watcher_ = std::thread([this] { watch(); });
  struct sigaction action{};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    struct sigaction before{};
    ::sigaction(number, nullptr, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;  // started by nohup
    ::sigaction(number, &action, nullptr);
  }
  action.sa_flags = SA_RESTART;  // there is one for each write, and none of them is meant as a second
  ::sigaction(SIGPIPE, &action, nullptr);
  struct sigaction fault{};
  fault.sa_sigaction = name_the_file;
  fault.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &fault, nullptr);
  std::signal(SIGXFSZ,
              SIG_IGN);  // a limit on the size of files then is an error of the write, as a full disk
}

Interrupt::~Interrupt() {
  ended_ = true;
  ::sem_post(&woken);
  watcher_.join();
}

const std::atomic<bool>& Interrupt::requested() {
  return stop_requested;
}

int Interrupt::signal() {
  return first_signal;
}

void Interrupt::ask(int signal) {
  request_stop(signal);
}

void Interrupt::watch() const {
  while (::sem_wait(&woken) != 0 && errno == EINTR) {
  }
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += static_cast<long>(time_to_end() * second_nanoseconds);
  until.tv_sec += until.tv_nsec / second_nanoseconds;
  until.tv_nsec %= second_nanoseconds;
  while (!ended_ && cut_short == nullptr)
    if (::sem_timedwait(&woken, &until) != 0 && errno == ETIMEDOUT) break;
  if (const char* file = cut_short)
    end_at_once(ExitCode::bad_input,
                fmt::format("hardhead: {}: it became shorter while it was read\n", in_quotes(file)));
  if (ended_) return;
  end_at_once(signal() == 0 ? ExitCode::our_bug : stopped_by(signal()),
              "hardhead: stopped: interrupted in a step that cannot be cut short\n");
}

}  // namespace hardhead::app
