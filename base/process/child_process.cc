#include "base/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>

namespace hardhead {
namespace {

// A message is its kind, its length and its bytes.
enum class Kind : char { progress, answer, error, no_memory, stopped };

void write_all(int pipe, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(pipe, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(1);  // nobody listens any more
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

void send(int pipe, Kind kind, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  std::string message(1, static_cast<char>(kind));
  message.append(reinterpret_cast<const char*>(&size), sizeof size).append(bytes);
  write_all(pipe, message.data(), message.size());
}

// noexcept: an exception that leaves this function would run the parent's code in the child. What the
// handlers below throw themselves ends the child by std::terminate.
[[noreturn]] void be_the_child(const ChildBody& body, int pipe, pid_t parent) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // The parent decides what an interrupt means.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_IGN);
  try {
    send(pipe, Kind::answer, body([&](double done) {
           send(pipe, Kind::progress, {reinterpret_cast<const char*>(&done), sizeof done});
         }));
  } catch (const std::bad_alloc&) {
    send(pipe, Kind::no_memory, {});
  } catch (const std::exception& error) {
    send(pipe, Kind::error, error.what());
  } catch (const Stopped& stopped) {
    send(pipe, Kind::stopped, stopped.reason);
  } catch (...) {
    send(pipe, Kind::error, "an exception of unknown type");
  }
  ::_exit(0);
}

// Ends and reaps the child on every way out.
struct Child {
  pid_t id;
  int pipe;
  ~Child() {
    ::close(pipe);
    if (id <= 0) return;
    ::kill(id, SIGKILL);
    ::waitpid(id, nullptr, 0);
  }
  int wait() {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(id, &status, 0)) < 0 && errno == EINTR) {
    }
    id = 0;
    if (ended < 0)
      throw MachineError(fmt::format("a child process's end was not seen: {}", std::strerror(errno)));
    return status;
  }
};

// Forks; the parent gets the child and the reading end of its pipe.
Child start(const ChildBody& body, std::string_view phase) {
  // A child forked by another thread while this one's writing end is open inherits it, and as long as it
  // holds it the end of this child goes unseen. O_CLOEXEC is no help where nothing is executed.
  static std::mutex one_at_a_time;
  std::unique_lock lock(one_at_a_time);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw MachineError(fmt::format("{}: no pipe to a child process: {}", phase, std::strerror(errno)));
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id == 0) {
    lock.unlock();  // the child's copy: it may have children of its own
    ::close(ends[0]);
    be_the_child(body, ends[1], parent);
  }
  const int failure = errno;
  ::close(ends[1]);
  if (id < 0) {
    ::close(ends[0]);
    throw MachineError(fmt::format("{}: no child process: {}", phase, std::strerror(failure)));
  }
  return {id, ends[0]};
}

}  // namespace

std::string run_in_child(const ChildBody& body, const RunContext& context, std::string_view phase) {
  context.stop.check();
  Child child = start(body, phase);

  constexpr std::size_t header = 1 + sizeof(std::uint64_t);
  std::string received;
  std::array<char, 1 << 16> chunk{};
  while (true) {
    context.stop.check();
    pollfd waiting{child.pipe, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const ssize_t got = ::read(child.pipe, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    received.append(chunk.data(), static_cast<std::size_t>(got));
    while (received.size() >= header) {
      std::uint64_t size = 0;
      std::memcpy(&size, received.data() + 1, sizeof size);
      if (received.size() < header + size) break;
      const auto kind = static_cast<Kind>(received[0]);
      std::string bytes = received.substr(header, size);
      if (kind == Kind::answer) return bytes;
      if (kind == Kind::error) throw Error(bytes);
      if (kind == Kind::no_memory) throw MachineError(fmt::format("{}: out of memory", phase));
      if (kind == Kind::stopped) throw Stopped{bytes};
      double done = 0;
      std::memcpy(&done, bytes.data(), sizeof done);
      context.progress.report(phase, done);
      received.erase(0, header + size);
    }
  }
  const int status = child.wait();
  context.stop.check();
  throw MachineError(fmt::format("{}: the child process ended without an answer ({})", phase,
                                 WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                     : fmt::format("exit code {}", WEXITSTATUS(status))));
}

}  // namespace hardhead
