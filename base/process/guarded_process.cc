#include "base/process/guarded_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"

namespace hardhead {
namespace {

constexpr off_t most_log_bytes = 64 << 20;

// After fork(), this process has one thread of several that there were: only calls that a signal handler may
// make.

[[noreturn]] void become(const char* command, StandardFiles files, rlim_t memory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (files.input < 0) files.input = ::open("/dev/null", O_RDONLY);
  if (files.input < 0 || ::dup2(files.input, 0) < 0 || ::dup2(files.output, 1) < 0 ||
      ::dup2(files.errors, 2) < 0)
    ::_exit(126);
  if (memory > 0) {
    const rlimit limit{memory, memory};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  for (const int number : {SIGPIPE, SIGXFSZ, SIGHUP}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  ::_exit(127);
}

/// Kills the children of this process, and those that it inherits from them, until there are none.
void end_children() {
  std::array<char, 4096> numbers;
  while (true) {
    const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const ssize_t size = list < 0 ? 0 : ::read(list, numbers.data(), numbers.size());
    if (list >= 0) ::close(list);
    pid_t child = 0;
    for (ssize_t i = 0; i < size; ++i) {
      const char c = numbers[static_cast<std::size_t>(i)];
      if (c != ' ') {
        child = 10 * child + (c - '0');
        continue;
      }
      ::kill(child, SIGKILL);
      child = 0;
    }
    if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
  }
}

/// Ends as the command did.
[[noreturn]] void end_as(int status) {
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  ::sigemptyset(&none);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::kill(::getpid(), WTERMSIG(status));
  ::_exit(1);
}

/// Stands between this program and the command. Whatever the command leaves behind becomes a child of the
/// guard, in whatever session it is, and ends with it: when the command ends, when SIGTERM comes, and when
/// the program dies.
[[noreturn]] void guard(const char* command, const StandardFiles& files, rlim_t memory, pid_t program) {
  sigset_t waited_for;
  ::sigemptyset(&waited_for);
  for (const int number : {SIGTERM, SIGCHLD}) ::sigaddset(&waited_for, number);
  ::sigprocmask(SIG_SETMASK, &waited_for, nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != program) ::_exit(126);
  const pid_t child = ::fork();
  if (child == 0) become(command, files, memory);
  if (child < 0) ::_exit(126);
  // A pipe ends only when nobody has its other end any more.
  ::close_range(3, ~0U, 0);
  while (::sigwaitinfo(&waited_for, nullptr) != SIGTERM) {
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != child) continue;
      end_children();
      end_as(status);
    }
  }
  end_children();
  ::_exit(0);
}

}  // namespace

std::string CommandEnding::str() const {
  return signal != 0 ? fmt::format("signal {} ({})", signal, ::strsignal(signal))
                     : fmt::format("exit code {}", exit_code);
}

CommandLog::CommandLog(const std::string& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (file_ < 0) throw Error(fmt::format("'{}' cannot be written: {}", path, std::strerror(errno)));
}

CommandLog::~CommandLog() {
  ::close(file_);
}

off_t CommandLog::size() const {
  struct stat status{};
  return ::fstat(file_, &status) == 0 ? status.st_size : 0;
}

void CommandLog::check_size() const {
  if (size() > most_log_bytes)
    throw Error(
        fmt::format("the command wrote more than {} MiB to its standard output", most_log_bytes >> 20));
}

std::string CommandLog::end() const {
  constexpr off_t most = 2000;
  const off_t first = std::max<off_t>(0, size() - most);
  std::string text(static_cast<std::size_t>(most), '\0');
  const ssize_t got = ::pread(file_, text.data(), text.size(), first);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

GuardedProcess::GuardedProcess(const std::string& command, const StandardFiles& files,
                               std::optional<double> memory_limit_bytes) {
  constexpr double no_limit = 9e18;
  const auto memory =
      static_cast<rlim_t>(memory_limit_bytes && *memory_limit_bytes < no_limit ? *memory_limit_bytes : 0);
  const pid_t program = ::getpid();
  id_ = ::fork();
  if (id_ == 0) guard(command.c_str(), files, memory, program);
  if (id_ < 0) throw Error(fmt::format("'{}': no process: {}", command, std::strerror(errno)));
}

GuardedProcess::~GuardedProcess() {
  if (id_ <= 0) return;
  ::kill(id_, SIGTERM);
  ::waitpid(id_, nullptr, 0);
}

std::optional<CommandEnding> GuardedProcess::ended() {
  int status = 0;
  const pid_t ended = ::waitpid(id_, &status, WNOHANG);
  if (ended < 0) throw Error(fmt::format("a command's end was not seen: {}", std::strerror(errno)));
  if (ended == 0) return std::nullopt;
  id_ = 0;
  return CommandEnding{
      WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0, {}};
}

}  // namespace hardhead
