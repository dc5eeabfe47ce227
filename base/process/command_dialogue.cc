#include "base/process/command_dialogue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace hardhead {
namespace {

constexpr std::size_t most_line_bytes = std::size_t{64} << 20;

void close_once(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

}  // namespace

CommandDialogue::CommandDialogue(const std::string& command, const std::string& log_path, StopToken stop)
    : stop_(std::move(stop)), log_(log_path) {
  stop_.check();
  // A socket for its input: writing to it can be told not to raise SIGPIPE.
  std::array<int, 2> to{-1, -1}, from{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to.data()) != 0)
    throw MachineError(fmt::format("'{}': no pipe: {}", command, std::strerror(errno)));
  input_ = to[0];
  if (::pipe2(from.data(), O_CLOEXEC) != 0) {
    const int why = errno;
    close_once(to[1]);
    close_once(input_);
    throw MachineError(fmt::format("'{}': no pipe: {}", command, std::strerror(why)));
  }
  output_ = from[0];
  try {
    process_.emplace(command, StandardFiles{to[1], from[1], log_.file()}, std::nullopt);
  } catch (...) {
    for (int* file : {&to[1], &from[1], &input_, &output_}) close_once(*file);
    throw;
  }
  close_once(to[1]);
  close_once(from[1]);
}

CommandDialogue::~CommandDialogue() {
  close_once(input_);
  close_once(output_);
}

// Until there is something to hear, or room to write, or a while has passed. What there is to hear is kept.
void CommandDialogue::wait(bool to_write) {
  stop_.check();
  log_.check_size();
  std::array<pollfd, 2> files{pollfd{output_, POLLIN, 0}, pollfd{to_write ? input_ : -1, POLLOUT, 0}};
  constexpr int milliseconds = 20;
  if (::poll(files.data(), files.size(), milliseconds) <= 0 || files[0].revents == 0) return;
  std::array<char, 1 << 16> bytes;
  const ssize_t got = ::read(output_, bytes.data(), bytes.size());
  if (got > 0) heard_.append(bytes.data(), static_cast<std::size_t>(got));
  if (got == 0) close_once(output_);
  if (heard_.size() > most_line_bytes)
    throw Error(fmt::format("the command wrote more than {} MiB that nobody asked for, or in one line",
                            most_line_bytes >> 20));
}

void CommandDialogue::tell(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t at = 0; at < text.size() && input_ >= 0;) {
    const ssize_t sent = ::send(input_, text.data() + at, text.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      at += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EINTR) {
      wait(true);
    } else {
      close_once(input_);
    }
  }
}

std::optional<std::string> CommandDialogue::hear() {
  stop_.check();  // a command may have written many lines at once
  std::size_t end = 0, searched = 0;
  while ((end = heard_.find('\n', searched)) == std::string::npos) {
    searched = heard_.size();
    if (output_ < 0) return std::nullopt;
    wait(false);
  }
  std::string line = heard_.substr(0, end);
  heard_.erase(0, end + 1);
  return line;
}

CommandEnding CommandDialogue::end() {
  close_once(input_);
  while (output_ >= 0) {
    wait(false);
    heard_.clear();
  }
  return process_->end(log_, stop_);
}

}  // namespace hardhead
