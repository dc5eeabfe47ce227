#include "base/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace hardhead {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("cannot write '{}': {}", path_, what));
  };
  if (path_.empty()) fail("a file name is expected");
  std::error_code ignored;
  const auto target = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(target)) fail("it is a folder, a file name is expected");
  // Renaming over a device or a pipe would replace it.
  if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target))
    fail("it is not a regular file");
  static std::atomic<unsigned> count{0};  // two writers of one process must not share a temporary file
  const std::string name = fmt::format("{}.{}.{}.tmp", path_, ::getpid(), count++);
  temporary_.emplace(name, [&] {
    errno = 0;
    try {
      out_.open(name, std::ios::binary | std::ios::trunc);
    } catch (...) {  // the file is there, and no memory is left for its buffer
      std::remove(name.c_str());
      throw;
    }
    if (!out_) fail(std::strerror(errno));
  });
}

void AtomicFile::commit() {
  errno = 0;
  const auto fail = [&] {
    throw InputError(
        fmt::format("cannot write '{}': {}", path_, errno != 0 ? std::strerror(errno) : "write failed"));
  };
  const bool failed_before = !out_;
  if (failed_before) {  // one byte more, to learn the reason
    out_.clear();
    out_.put('\0');
  }
  out_.close();
  if (!out_ || failed_before) fail();
  const int file = ::open(temporary_->path().c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail();
  const bool synced = ::fsync(file) == 0;
  ::close(file);
  if (!synced || std::rename(temporary_->path().c_str(), path_.c_str()) != 0) fail();
  temporary_->keep();
  // The new name outlives a loss of power, too. Not every file system can promise that: the file is there all
  // the same.
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int held = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (held < 0) return;
  ::fsync(held);
  ::close(held);
}

}  // namespace hardhead
