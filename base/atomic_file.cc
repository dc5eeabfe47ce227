#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace hardhead {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  if (std::filesystem::is_directory(path_))
    throw InputError(fmt::format("cannot write '{}': it is a folder, a file name is expected", path_));
  temporary_ = fmt::format("{}.{}.tmp", path_, ::getpid());
  errno = 0;
  out_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!out_) throw InputError(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
}

AtomicFile::~AtomicFile() {
  if (temporary_.empty()) return;
  out_.close();
  std::remove(temporary_.c_str());
}

void AtomicFile::commit() {
  errno = 0;
  const auto fail = [&] {
    throw InputError(
        fmt::format("cannot write '{}': {}", path_, errno != 0 ? std::strerror(errno) : "write failed"));
  };
  out_.close();
  if (!out_) fail();
  const int file = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail();
  const bool synced = ::fsync(file) == 0;
  ::close(file);
  if (!synced || std::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  temporary_.clear();
}

}  // namespace hardhead
