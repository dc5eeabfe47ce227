#include "base/process/external_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.h"

namespace hardhead {
namespace {

/// Between fork and exec only what is safe in a process whose other threads are gone.
[[noreturn]] void become(const char* command, const char* log, rlim_t memory) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDONLY), words = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (nothing < 0 || words < 0 || ::dup2(nothing, 0) < 0 || ::dup2(words, 1) < 0 || ::dup2(words, 2) < 0)
    ::_exit(126);
  if (memory > 0) {
    const rlimit limit{memory, memory};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ::signal(SIGPIPE, SIG_DFL);
  ::execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  ::_exit(127);
}

/// Kills the group unless it has been waited for.
struct Group {
  pid_t id;
  ~Group() {
    if (id <= 0) return;
    ::kill(-id, SIGKILL);
    ::waitpid(id, nullptr, 0);
  }
};

std::string end_of(const std::string& path) {
  constexpr std::streamoff most = 2000;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  in.seekg(std::max<std::streamoff>(0, in.tellg() - most));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

std::string CommandEnding::str() const {
  return signal != 0 ? fmt::format("signal {} ({})", signal, ::strsignal(signal))
                     : fmt::format("exit code {}", exit_code);
}

CommandEnding run_command(const std::string& command, const std::string& log,
                          std::optional<double> memory_limit_bytes, const StopToken& stop) {
  stop.check();
  constexpr double no_limit = 9e18;
  const auto memory =
      static_cast<rlim_t>(memory_limit_bytes && *memory_limit_bytes < no_limit ? *memory_limit_bytes : 0);
  const pid_t id = ::fork();
  if (id == 0) become(command.c_str(), log.c_str(), memory);
  if (id < 0) throw Error(fmt::format("'{}': no process: {}", command, std::strerror(errno)));
  ::setpgid(id, id);
  Group group{id};
  int status = 0;
  for (pid_t ended = 0; ended == 0;) {
    stop.check();
    ended = ::waitpid(id, &status, WNOHANG);
    if (ended < 0) throw Error(fmt::format("'{}': its end was not seen: {}", command, std::strerror(errno)));
    if (ended == 0) ::usleep(20'000);
  }
  ::kill(-id, SIGKILL);  // what it left behind
  group.id = 0;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          end_of(log)};
}

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace hardhead
