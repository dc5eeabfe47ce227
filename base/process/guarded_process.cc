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
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hardhead {
namespace {

constexpr off_t most_log_bytes = 64 << 20;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

/// What a launcher of MPI tells a process that it is a rank by. A program that inherits it takes itself for
/// that rank: it joins the job, or waits for it. What allows mpirun to root stays.
bool is_of_a_rank(std::string_view variable) {
  return !variable.starts_with("OMPI_ALLOW_") &&
         starts_with_any(variable, {"OMPI_", "ORTE_", "PRTE_", "PMIX_", "PMI_", "MPI_LOCAL", "HYDI_",
                                    "HYDRA_", "MV2_COMM_", "MPIR_", "SLURM_STEP_NUM_TASKS="});
}

/// Whether a launcher of MPI has started this process.
bool is_a_rank(char** variables) {
  for (; *variables != nullptr; ++variables)
    if (starts_with_any(*variables, {"OMPI_COMM_WORLD_SIZE=", "PMIX_RANK=", "PMI_RANK=", "PMI_SIZE="}))
      return true;
  return false;
}

/// The environment of a command; it ends with a null.
std::vector<char*> environment_of_a_command() {
  const bool rank = is_a_rank(environ);
  std::vector<char*> out;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!rank || !is_of_a_rank(*variable)) out.push_back(*variable);
  out.push_back(nullptr);
  return out;
}

/// What a command is started with. All of it is made before fork().
struct Start {
  const char* command;
  char** environment;
  StandardFiles files;
  rlim_t memory;  // 0: no limit
};

// After fork(), this process has one thread of several that there were: only calls that a signal handler may
// make.

[[noreturn]] void become(const Start& start) {
  StandardFiles files = start.files;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (files.input < 0) files.input = ::open("/dev/null", O_RDONLY);
  if (files.input < 0 || ::dup2(files.input, 0) < 0 || ::dup2(files.output, 1) < 0 ||
      ::dup2(files.errors, 2) < 0)
    ::_exit(126);
  if (start.memory > 0) {
    const rlimit limit{start.memory, start.memory};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  for (const int number : {SIGPIPE, SIGXFSZ, SIGHUP}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::array<char*, 4> words{const_cast<char*>("sh"), const_cast<char*>("-c"),
                             const_cast<char*>(start.command), nullptr};
  ::execve("/bin/sh", words.data(), start.environment);
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

/// The parent that the command sees, in a process group with it. It waits for the command, and ends as that.
[[noreturn]] void be_its_parent(const Start& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  const pid_t child = ::fork();
  if (child == 0) become(start);
  if (child < 0) ::_exit(126);
  ::close_range(3, ~0U, 0);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end_as(status);
}

/// Stands between this program and the command. Whatever the command leaves behind becomes a child of the
/// guard, in whatever session it is, and ends with it: when the command ends, when SIGTERM comes, and when
/// the program dies. A parent of the command that was stopped goes on.
[[noreturn]] void guard(const Start& start, pid_t program) {
  sigset_t waited_for;
  ::sigemptyset(&waited_for);
  for (const int number : {SIGTERM, SIGCHLD}) ::sigaddset(&waited_for, number);
  ::sigprocmask(SIG_SETMASK, &waited_for, nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != program) ::_exit(126);
  const pid_t child = ::fork();
  if (child == 0) be_its_parent(start);
  if (child < 0) ::_exit(126);
  // A pipe ends only when nobody has its other end any more.
  ::close_range(3, ~0U, 0);
  while (::sigwaitinfo(&waited_for, nullptr) != SIGTERM) {
    int status = 0;
    for (pid_t changed = 0; (changed = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (changed != child) continue;
      if (WIFSTOPPED(status)) {
        ::kill(child, SIGCONT);
        continue;
      }
      end_children();
      end_as(status);
    }
  }
  end_children();
  ::_exit(0);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> phrases) {
  return std::ranges::any_of(phrases,
                             [&](std::string_view phrase) { return text.find(phrase) != text.npos; });
}

}  // namespace

std::string CommandEnding::str() const {
  return signal != 0 ? fmt::format("signal {} ({})", signal, ::strsignal(signal))
                     : fmt::format("exit code {}", exit_code);
}

bool CommandEnding::by_the_machine(bool has_memory_limit) const {
  constexpr int not_executable = 126, not_found = 127, by_a_signal = 128;
  const int by = signal != 0 ? signal : exit_code > by_a_signal ? exit_code - by_a_signal : 0;
  const bool memory = has_any(last_words, {"MemoryError", "std::bad_alloc", "Cannot allocate memory",
                                           "Out of memory", "out of memory", "OutOfMemoryError"});
  if (has_memory_limit && (memory || by == SIGABRT || by == SIGSEGV)) return false;
  if (by > 0 && by < NSIG) return true;
  if (exit_code == not_executable || exit_code == not_found) return true;
  if (well()) return false;
  return memory || has_any(last_words,
                           {"No space left on device", "Disk quota exceeded", "Input/output error",
                            "Too many open files", "Resource temporarily unavailable", "MPI_Init", "MPI_INIT",
                            "MPI_ABORT", "PMIX ERROR", "ORTE_ERROR", "orte_", "not enough slots", "mpirun"});
}

CommandLog::CommandLog(const std::string& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (file_ < 0) throw MachineError(fmt::format("'{}' cannot be written: {}", path, std::strerror(errno)));
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
  std::vector<char*> environment = environment_of_a_command();
  const Start start{command.c_str(), environment.data(), files, memory};
  const pid_t program = ::getpid();
  id_ = ::fork();
  if (id_ == 0) guard(start, program);
  if (id_ < 0) throw MachineError(fmt::format("'{}': no process: {}", command, std::strerror(errno)));
}

GuardedProcess::~GuardedProcess() {
  if (id_ <= 0) return;
  ::kill(id_, SIGTERM);
  ::kill(id_, SIGCONT);
  constexpr useconds_t wait = 1000, patience = 10'000'000;
  for (useconds_t waited = 0; waited < patience; waited += wait) {
    if (::waitpid(id_, nullptr, WNOHANG) != 0) return;
    ::usleep(wait);
  }
  ::kill(id_, SIGKILL);  // the command dies with its parent, and that with the guard
  ::waitpid(id_, nullptr, 0);
}

CommandEnding GuardedProcess::end(const CommandLog& log, const StopToken& stop) {
  int status = 0;
  while (true) {
    stop.check();
    log.check_size();
    const pid_t ended = ::waitpid(id_, &status, WNOHANG);
    if (ended < 0) throw MachineError(fmt::format("a command's end was not seen: {}", std::strerror(errno)));
    if (ended > 0) break;
    ::usleep(20'000);
  }
  id_ = 0;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0, log.end()};
}

CommandEnding run_command(const std::string& command, const std::string& log_path,
                          std::optional<double> memory_limit_bytes, const StopToken& stop) {
  stop.check();
  const CommandLog log(log_path);
  GuardedProcess process(command, {-1, log.file(), log.file()}, memory_limit_bytes);
  return process.end(log, stop);
}

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace hardhead
